// What a fixed-radius query returns.
#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

/// index (B, M, nsample) int64: the first hits in ascending order, the rest repeats the first hit
/// (0 when there is none). count (B, M) int64: min(number of hits, nsample).
struct Neighbourhood {
  at::Tensor index;
  at::Tensor count;
};

/// No hits for any of the queries (B, M, 3).
Neighbourhood empty_neighbourhood(const at::Tensor& query, int64_t nsample);

}  // namespace grasppanda::ops
