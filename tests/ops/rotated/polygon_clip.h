// A second opinion on overlaps: Sutherland-Hodgman clipping of corner polygons in long double.
#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::tests {

/// IoU of two rotated boxes, (5,) float64 each, positive sides.
double clipped_iou(const at::Tensor& a, const at::Tensor& b);

}  // namespace grasppanda::tests
