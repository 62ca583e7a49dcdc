#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

/// Weights of interpolation from the distances to K neighbours (PointNet++).
///
/// distance  (B, N, K), K >= 1, floating type, metres (roots, not squares); any device
/// returns   (B, N, K): r = 1 / (distance + 1e-8), w = r / ((r0 + r1) + r2 ...), left to right
///
/// A distance of 0 gives r = 1e8; with all neighbours at infinity the weights are NaN.
/// Throws ArgumentError. Differentiable. One implementation for every device and type.
at::Tensor inverse_distance_weights(const at::Tensor& distance);

/// The variant of Contact-GraspNet: w = 1 / max(squared, 1e-16), normalised by their sum, which
/// runs left to right.
///
/// squared  (B, N, K), K >= 1, floating type, square metres
/// Throws ArgumentError. Differentiable. One implementation for every device and type.
at::Tensor inverse_squared_distance_weights(const at::Tensor& squared);

}  // namespace grasppanda::ops
