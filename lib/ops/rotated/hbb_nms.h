#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace grasppanda::ops {

/// Suppression of rotated boxes by the upright boxes around them, as RPN proposals are suppressed.
///
/// boxes  (N, 5) floating type, taken as float32: (cx, cy, w, h, angle), pixels, radians
/// The rest as horizontal_nms.
at::Tensor hbb_nms(const at::Tensor& boxes, const at::Tensor& scores, double iou_threshold,
                   std::optional<int64_t> max_detections = std::nullopt);

}  // namespace grasppanda::ops
