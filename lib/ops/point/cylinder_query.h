#pragma once

#include "lib/ops/point/neighbourhood.h"

namespace grasppanda::ops {

Neighbourhood cylinder_query(const at::Tensor& query, const at::Tensor& support,
                             const at::Tensor& rotation, double radius, double hmin, double hmax,
                             int64_t nsample);

}  // namespace grasppanda::ops
