// From a mask of hits to the fixed-size neighbourhoods of the radius queries.
#pragma once

#include <ATen/core/Tensor.h>

#include "lib/ops/point/neighbourhood.h"

namespace grasppanda::ops {

/// hit (rows, N) bool, contiguous. Writes the first hits of every row in ascending order to
/// `index` (rows, nsample) and min(hits, nsample) to `count` (rows); unused slots repeat the first
/// hit, a row without hits becomes 0.
void write_first_hits(const at::Tensor& hit, at::Tensor index, at::Tensor count);

}  // namespace grasppanda::ops
