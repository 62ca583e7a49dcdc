#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/ops/kernel_list.h"
#include "lib/ops/rotated/iou_method.h"

namespace grasppanda::ops {

/// What to do with boxes that have no polygon.
enum class DegenerateBoxes : std::uint8_t {
  package,  // as oriented-det: a side <= 0 or an infinite angle is refused; other components that
            // are not finite and areas up to 1e-9 are dropped
  keep,     // they overlap nothing and stay
};

struct RotatedNmsOptions {
  double iou_threshold = 0.1;
  IouMethod method = IouMethod::exact;
  std::optional<int64_t> max_detections{};  // 0 or more; the best are returned
  bool at_equality = false;                 // suppress where iou >= threshold, as mmrotate; else >
  DegenerateBoxes degenerate = DegenerateBoxes::package;  // exact only: sampling takes all boxes
};

/// Non-maximum suppression of rotated boxes: a box stays unless a better one that stays overlaps it
/// by more than the threshold.
///
/// boxes    (N, 5) float32 or float64: (cx, cy, w, h, angle), pixels, radians
/// scores   (N,) floating type, on the device of boxes; no NaN
/// labels   (N,) integer, or undefined: only boxes of one label suppress each other
/// returns  kept (k,) int64 on the device of boxes: indices, best score first, equal scores in
///          input order
///
/// Contract (every kernel keeps the same boxes): exact overlaps are those of rotated_iou in
/// float64, compared with the threshold in float64; coordinates are never shifted. The sampled
/// method is that of oriented-det, label by label: the best min(3 * max_detections, 4000) boxes of
/// a label (4000 without a cap) take part, the others are dropped; pairs whose bounds cannot reach
/// half the threshold are left out; one number of samples for all boxes of the label
/// (rotated_iou_sample_count.h; environment variables are read); float32.
/// Throws ArgumentError: shapes, types, a NaN score, a threshold outside [0, 1] (exact), a box as
/// said at DegenerateBoxes, a negative cap, sample settings. BackendError as everywhere.
/// Cost: near O(N log N) plus N times the kept boxes whose bounds meet a box.
/// Config key `runtime.rotated.backend`. Details in docs/ops/rotated.md
at::Tensor rotated_nms(const at::Tensor& boxes, const at::Tensor& scores,
                       const RotatedNmsOptions& options, const at::Tensor& labels = {});

/// The suppression by itself.
struct SuppressionRule {
  double iou_threshold;
  bool at_equality;
};

/// What defines the result: one box after the other, each against the kept ones before it.
/// boxes (N, 5), best first; groups (N,) int64, numbered from 0; returns the places of those that
/// stay, ascending, on the CPU.
at::Tensor rotated_nms_reference(const at::Tensor& boxes, const at::Tensor& groups,
                                 SuppressionRule rule);

using RotatedNmsFn = at::Tensor(at::Tensor, at::Tensor, SuppressionRule);
KernelList<RotatedNmsFn>& rotated_nms_kernels();

/// One call, seeded: shared by self-check, tests and benches.
struct RotatedNmsCase {
  std::string name;
  at::Tensor boxes;  // best first
  at::Tensor groups;
  SuppressionRule rule;
};
std::vector<RotatedNmsCase> rotated_nms_cases();
RotatedNmsCase random_rotated_nms_case(uint64_t seed, int64_t boxes);
/// The first difference from the reference, or nothing.
std::string compare_rotated_nms(const Kernel<RotatedNmsFn>& kernel, c10::Device device,
                                const RotatedNmsCase& call);
std::string check_rotated_nms(const Kernel<RotatedNmsFn>& kernel, c10::Device device);

}  // namespace grasppanda::ops
