// Queries of cylinder_query that a kernel could not decide.
#pragma once

#include <vector>

#include "lib/ops/point/nested_cylinder_query.h"

namespace grasppanda::ops {

/// The arguments of one call.
struct NestedCylinderCall {
  const at::Tensor &query, &support, &rotation;
  double radius, hmin;
  const std::vector<double>& hmax;
  int64_t nsample;
};

/// Lets the reference answer the queries that are marked, all their upper ends: in one call a
/// cloud, each with its whole support, since its product may depend on the size of it.
///
/// hand_back  (B, M) uint8 on the CPU
/// found      answers of the kernel, those of the marked queries replaced
void answer_handed_back(const at::Tensor& hand_back, const NestedCylinderCall& call,
                        Neighbourhood& found);

}  // namespace grasppanda::ops
