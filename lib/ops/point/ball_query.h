#pragma once

#include "lib/ops/point/neighbourhood.h"

namespace grasppanda::ops {

Neighbourhood ball_query(const at::Tensor& query, const at::Tensor& support, double radius,
                         int64_t nsample);

}  // namespace grasppanda::ops
