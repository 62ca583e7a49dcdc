#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "lib/ops/kernel_list.h"
#include "lib/ops/rotated/rectangle_overlap.h"

namespace grasppanda::ops {

/// Exact overlap of rotated boxes, every box of one set with every box of the other.
///
/// boxes1  (N, 5) float32 or float64: (cx, cy, w, h, angle), pixels, radians from +x towards +y
/// boxes2  (M, 5) of the type and on the device of boxes1
/// returns (N, M) of the type of the boxes
///
/// Contract (every kernel returns the same bits): areas and ratio are computed in float64, the
/// ratio is rounded once to the type of the boxes. In [0, 1], never NaN; exchanging the sets
/// transposes the iou bit for bit; boxes that only touch have 0. A side <= 0, a component that is
/// not finite or an area that vanishes gives 0.
/// Throws ArgumentError naming the argument, what it got and what it wants; BackendError when
/// `compiled` is selected and cannot run.
/// Cost: O(N * M) comparisons of bounds, then 20 to 40 ns for each pair whose bounds meet.
/// Config key `runtime.rotated.backend`. Details in docs/ops/rotated.md
at::Tensor rotated_iou(const at::Tensor& boxes1, const at::Tensor& boxes2,
                       OverlapRatio ratio = OverlapRatio::iou);

/// Box k of one set with box k of the other: (N, 5) and (N, 5) to (N,).
at::Tensor aligned_rotated_iou(const at::Tensor& boxes1, const at::Tensor& boxes2,
                               OverlapRatio ratio = OverlapRatio::iou);

/// Throws ArgumentError unless the tensor is (N, 5), float32 or float64.
void require_rotated_boxes(std::string_view op, std::string_view argument, const at::Tensor& boxes);

/// What defines the result: `overlap_ratio` of every pair.
at::Tensor rotated_iou_reference(const at::Tensor& boxes1, const at::Tensor& boxes2, bool aligned,
                                 OverlapRatio ratio);

using RotatedIouFn = at::Tensor(at::Tensor, at::Tensor, bool, OverlapRatio);
KernelList<RotatedIouFn>& rotated_iou_kernels();

/// One call, seeded: shared by self-check, tests and benches.
struct RotatedIouCase {
  std::string name;
  at::Tensor boxes1;
  at::Tensor boxes2;
  bool aligned = false;
  OverlapRatio ratio = OverlapRatio::iou;
};
std::vector<RotatedIouCase> rotated_iou_cases();
RotatedIouCase random_rotated_iou_case(uint64_t seed, int64_t boxes);
/// The first difference from the reference, or nothing.
std::string compare_rotated_iou(const Kernel<RotatedIouFn>& kernel, c10::Device device,
                                const RotatedIouCase& call);
std::string check_rotated_iou(const Kernel<RotatedIouFn>& kernel, c10::Device device);

}  // namespace grasppanda::ops
