// The float32 overlap that oriented-det trains RetinaNet, FCOS and RTMDet with. Not exact: edges
// that coincide do not cross, so equal boxes may come out anywhere. rotated_iou is exact.
#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

/// Box k with box k: (N, 5) and (N, 5) float32 to (N,). Points where edges cross and corners inside
/// the other box, sorted around their mean, span the area; corners inside by a margin of 1e-6 of a
/// side. In [0, 1]. Gradients flow into both.
at::Tensor convex_iou(const at::Tensor& boxes1, const at::Tensor& boxes2);

}  // namespace grasppanda::ops
