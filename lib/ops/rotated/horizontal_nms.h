#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace grasppanda::ops {

/// Non-maximum suppression of upright boxes: torchvision's `nms`.
///
/// boxes          (N, 4) floating type: (x1, y1, x2, y2)
/// scores         (N,) floating type; no NaN
/// iou_threshold  a box goes where a better one that stays has iou > iou_threshold
/// most           0 or more: the best are returned; default all
/// returns        kept (k,) int64 on the device of boxes, best first, equal scores in input order
///
/// Contract: inter / (area1 + area2 - inter), in float32 (float64 boxes in float64), no epsilon, no
/// added pixel; NaN suppresses nothing.
/// Throws ArgumentError: shapes, types, a NaN score or threshold, a negative `most`.
/// Cost: N comparisons of bounds for each kept box that a sweep along x leaves. One implementation.
at::Tensor horizontal_nms(const at::Tensor& boxes, const at::Tensor& scores, double iou_threshold,
                          std::optional<int64_t> most = std::nullopt);

}  // namespace grasppanda::ops
