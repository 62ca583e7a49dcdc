#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

/// Features at N points from those at the three neighbours of each.
///
/// features  (B, C, M) floating type; any device
/// index     (B, N, 3) int64 or int32, 0 .. M - 1
/// weight    (B, N, 3) of the type and on the device of features
/// returns   (B, C, N): (w0 * f[i0] + w1 * f[i1]) + w2 * f[i2], every step rounded on its own
///
/// NaN and infinite features spread even through a zero weight.
/// Throws ArgumentError (shapes, types, an index outside). Differentiable in features and weight.
/// One implementation for every device and type. Source: PointNet++ (Qi et al., 2017).
at::Tensor three_interpolate(const at::Tensor& features, const at::Tensor& index,
                             const at::Tensor& weight);

}  // namespace grasppanda::ops
