// Oriented-det's loss on the angle alone, which fades for long boxes.
#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

/// exp(-log^2(w / h) / lambda^2) * sin^2(2 (angle - angle*)), w and h of the target, at least 1e-7.
/// pred, target (N, 5) to (N,), differentiable in both. Throws ArgumentError: shapes, types.
at::Tensor aspect_gated_angle_loss(const at::Tensor& pred, const at::Tensor& target,
                                   double lambda = 1);

}  // namespace grasppanda::ops
