// The squared distance of ball_query and knn, and thresholds as the contract rounds them.
#pragma once

#include <ATen/core/Tensor.h>

#include "lib/ops/point/query_chunks.h"

namespace grasppanda::ops {

/// Squared distances of a chunk of queries to every support point, (rows, N).
///
/// queries   (rows, 3); `axes` (3, N) holds the support's coordinates axis by axis, contiguous
///
/// Every difference, square and sum is rounded on its own. The sum runs in the order in which
/// LibTorch's sum(-1) adds three terms on the device: (x + y) + z on the CPU, (x + z) + y on CUDA.
/// The order is written out because a reduction over an axis of length 3 is several times slower.
at::Tensor squared_distances(const at::Tensor& queries, const at::Tensor& axes);

/// A threshold given in double, rounded once to the type of `like`; a tensor without axes.
at::Tensor rounded_threshold(double value, const at::Tensor& like);

}  // namespace grasppanda::ops
