// What the suppressions share: scores in order, and indices as a tensor.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>
#include <vector>

namespace grasppanda::ops {

/// Indices by descending score, equal scores in input order. Throws ArgumentError in the name of
/// `op` unless scores is (count,), of a floating type and without NaN.
std::vector<int64_t> score_order(std::string_view op, const at::Tensor& scores, int64_t count);

/// int64, on `device`.
at::Tensor index_tensor(const std::vector<int64_t>& indices, c10::Device device);

}  // namespace grasppanda::ops
