#pragma once

#include <ATen/core/Tensor.h>

#include "lib/ops/point/squared_distance.h"

namespace grasppanda::ops {

/// distance (B, M, k): roots; squared (B, M, k): what decided; index (B, M, k) int64.
struct NearestNeighbours {
  at::Tensor distance;
  at::Tensor squared;
  at::Tensor index;
};

/// The k nearest points of the support for every query, nearest first.
///
/// query    (B, M, 3) floating type, metres; any device, any strides
/// support  (B, N, 3) of the type and on the device of query
/// k        1 .. N
///
/// Contract (every kernel returns the same integers and the same bits in `squared`):
///   - squared distances decide, equal ones by ascending index; sum (x + y) + z on the CPU,
///     (x + z) + y on CUDA, never fused;
///   - +inf comes behind every number, NaN behind +inf, both among themselves by index;
///   - `distance` is LibTorch's root of `squared`, whose last bit is its own affair.
/// Gradients flow into `distance` and `squared` where the inputs ask for them.
/// Throws ArgumentError naming the argument, what it got and what it wants; BackendError when
/// `compiled` is selected and cannot run.
/// Cost O(B*M*N) time, a bounded number of pairs in memory. Config key `knn`.
/// Details in docs/ops/point.md
NearestNeighbours knn(const at::Tensor& query, const at::Tensor& support, int64_t k);

/// `squared` and `index` only: the root is taken in one place for all kernels.
struct SquaredNeighbours {
  at::Tensor squared;
  at::Tensor index;
};

/// What defines the result, in the order of addition of either device.
SquaredNeighbours knn_reference(const at::Tensor& query, const at::Tensor& support, int64_t k,
                                SumOrder order);

}  // namespace grasppanda::ops
