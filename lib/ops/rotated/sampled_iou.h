#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/ops/kernel_list.h"
#include "lib/ops/rotated/sampled_box.h"

namespace grasppanda::ops {

/// Overlap of rotated boxes counted on a grid of points, as oriented-det counts it on a GPU: to be
/// compared with that system. rotated_iou is exact and faster.
///
/// boxes1       (N, 5) floating type, taken as float32: (cx, cy, w, h, angle), pixels, radians
/// boxes2       (M, 5), on the device of boxes1
/// num_samples  points per box, a perfect square above 0; by default as rotated_iou_sample_count
///              says for overlaps (environment variables are read)
/// returns      (N, M) float32
///
/// Contract (every kernel returns the same bits): all in float32, every step rounded on its own.
/// Points fill 99 % of each side, ends included; both boxes are sampled, the larger of the two
/// shared areas counts, at most the smaller box. Points on an edge are inside. Pairs whose bounds
/// do not meet have 0. Negative sides are boxes; NaN gives 0, an infinite side NaN.
/// Exchanging the sets transposes the result bit for bit.
/// Throws ArgumentError: shapes, types, num_samples, settings. BackendError as everywhere.
/// Config key `runtime.rotated.backend`. Source: oriented-det 0.4.1; docs/ops/rotated.md
at::Tensor sampled_iou(const at::Tensor& boxes1, const at::Tensor& boxes2,
                       std::optional<int64_t> num_samples = std::nullopt);

/// Box k of one set with box k of the other, (N,); one number of samples for all 2 N boxes.
at::Tensor aligned_sampled_iou(const at::Tensor& boxes1, const at::Tensor& boxes2,
                               std::optional<int64_t> num_samples = std::nullopt);

/// (N, 5) to boxes; on the CPU.
std::vector<SampledBox> sampled_boxes(const at::Tensor& boxes);

/// What defines the result: tensors of points, a bounded number of pairs at a time.
at::Tensor sampled_iou_reference(const at::Tensor& boxes1, const at::Tensor& boxes2, bool aligned,
                                 int64_t num_samples);

/// The same without the look at the bounds, for pairs (first[k], second[k]) of one set: (P,).
at::Tensor sampled_pairs_reference(const at::Tensor& boxes, const at::Tensor& first,
                                   const at::Tensor& second, int64_t num_samples);

using SampledIouFn = at::Tensor(at::Tensor, at::Tensor, bool, int64_t);
KernelList<SampledIouFn>& sampled_iou_kernels();

/// One call, seeded: shared by self-check, tests and benches.
struct SampledIouCase {
  std::string name;
  at::Tensor boxes1, boxes2;  // float32
  bool aligned;
  int64_t num_samples;
};
SampledIouCase random_sampled_iou_case(uint64_t seed, int64_t boxes);
/// The first difference from the reference, or nothing.
std::string compare_sampled_iou(const Kernel<SampledIouFn>& kernel, c10::Device device,
                                const SampledIouCase& call);
std::string check_sampled_iou(const Kernel<SampledIouFn>& kernel, c10::Device device);

}  // namespace grasppanda::ops
