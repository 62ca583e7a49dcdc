// Queries of cylinder_query that a kernel could not decide.
#pragma once

#include "lib/ops/point/cylinder_query.h"

namespace grasppanda::ops {

/// The arguments of one call.
struct CylinderCall {
  const at::Tensor &query, &support, &rotation;
  double radius, hmin, hmax;
  int64_t nsample;
};

/// Lets the reference answer the queries that are marked: in one call a cloud, each with its whole
/// support, since its product may depend on the size of it.
///
/// hand_back  (B, M) uint8 on the CPU
/// found      answers of the kernel, those of the marked queries replaced
void answer_handed_back(const at::Tensor& hand_back, const CylinderCall& call,
                        Neighbourhood& found);

}  // namespace grasppanda::ops
