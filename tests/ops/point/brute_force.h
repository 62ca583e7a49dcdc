// The four operators with a choice of kernel as plain loops over floats: an oracle of another hand
// than the references. CPU tensors, float32.
#pragma once

#include <ATen/core/Tensor.h>

#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/point/knn.h"
#include "lib/ops/point/neighbourhood.h"

namespace grasppanda::tests {

at::Tensor brute_force_sample(const at::Tensor& points, int64_t num_samples, bool skip_near_origin,
                              ops::TieBreak tie_break);
ops::Neighbourhood brute_force_ball(const at::Tensor& query, const at::Tensor& support,
                                    double radius, int64_t nsample, ops::SumOrder order);
/// Rotates with plain rounding from left to right: exact only where every product is.
ops::Neighbourhood brute_force_cylinder(const at::Tensor& query, const at::Tensor& support,
                                        const at::Tensor& rotation, double radius, double hmin,
                                        double hmax, int64_t nsample);
ops::SquaredNeighbours brute_force_knn(const at::Tensor& query, const at::Tensor& support,
                                       int64_t k, ops::SumOrder order);

}  // namespace grasppanda::tests
