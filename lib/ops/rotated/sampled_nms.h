// The sampled suppression of rotated_nms, by itself.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "lib/ops/kernel_list.h"

namespace grasppanda::ops {

/// Oriented-det's suppression on a GPU, for one pool of boxes.
///
/// boxes          (N, 5) float32, best first
/// iou_threshold  a box goes where a better one that stays has IoU > threshold, in float32
/// num_samples    of every box; a perfect square
/// returns        (k,) int64 on the CPU: places of those that stay, ascending
///
/// Contract (every kernel keeps the same boxes): a pair is measured only if the overlap of the
/// bounds Ia satisfies Ia / max(wi hi + wj hj - Ia, 1e-8) > threshold / 2.
at::Tensor sampled_nms(const at::Tensor& boxes, double iou_threshold, int64_t num_samples);

/// What defines the result: all measured pairs at once, then "stays unless a box that stays
/// suppresses it" repeated until nothing changes.
at::Tensor sampled_nms_reference(const at::Tensor& boxes, double iou_threshold,
                                 int64_t num_samples);

using SampledNmsFn = at::Tensor(at::Tensor, double, int64_t);
KernelList<SampledNmsFn>& sampled_nms_kernels();

/// One call, seeded: shared by self-check and tests.
struct SampledNmsCase {
  std::string name;
  at::Tensor boxes;
  double iou_threshold;
  int64_t num_samples;
};
SampledNmsCase random_sampled_nms_case(uint64_t seed, int64_t boxes);
/// The first difference from the reference, or nothing.
std::string compare_sampled_nms(const Kernel<SampledNmsFn>& kernel, c10::Device device,
                                const SampledNmsCase& call);
std::string check_sampled_nms(const Kernel<SampledNmsFn>& kernel, c10::Device device);

}  // namespace grasppanda::ops
