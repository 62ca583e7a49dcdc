// What the suppressions share: scores in order, indices as a tensor, and where they run.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>
#include <vector>

#include "lib/ops/kernel_list.h"

namespace grasppanda::ops {

/// Indices by descending score, equal scores in input order. Throws ArgumentError in the name of
/// `op` unless scores is (count,), of a floating type and without NaN.
std::vector<int64_t> score_order(std::string_view op, const at::Tensor& scores, int64_t count);

/// int64, on `device`.
at::Tensor index_tensor(const std::vector<int64_t>& indices, c10::Device device);

/// The device of the boxes where a compiled kernel runs there; else the CPU, whose kernels are
/// worth the way.
c10::Device suppression_device(const AnyKernelList& kernels, c10::Device boxes);

}  // namespace grasppanda::ops
