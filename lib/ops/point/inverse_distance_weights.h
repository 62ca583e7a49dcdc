#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

at::Tensor inverse_distance_weights(const at::Tensor& distance);

/// The variant of Contact-GraspNet: w = 1 / max(squared, 1e-16), normalised by their sum.
at::Tensor inverse_squared_distance_weights(const at::Tensor& squared);

}  // namespace grasppanda::ops
