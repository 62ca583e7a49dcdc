// Upright boxes around rotated ones, and how they overlap: oriented-det's arithmetic.
#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

/// The least and greatest x and y of the corners: (N, 5) to (N, 4) float32, (x1, y1, x2, y2).
at::Tensor enclosing_boxes(const at::Tensor& boxes);

/// inter / (area1 + area2 - inter + 1e-8), sides of the intersection at least 0: (N, 4) and (M, 4)
/// to (N, M), float32.
at::Tensor horizontal_iou(const at::Tensor& boxes1, const at::Tensor& boxes2);

}  // namespace grasppanda::ops
