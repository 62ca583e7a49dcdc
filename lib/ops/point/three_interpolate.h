#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

at::Tensor three_interpolate(const at::Tensor& features, const at::Tensor& index,
                             const at::Tensor& weight);

}  // namespace grasppanda::ops
