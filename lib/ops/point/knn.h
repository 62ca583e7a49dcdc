#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <vector>

#include "lib/ops/kernel_list.h"
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

/// The same with the sum in an order of choice, whatever the device.
NearestNeighbours knn(const at::Tensor& query, const at::Tensor& support, int64_t k,
                      SumOrder order);

/// What a kernel finds: the root and gradients are taken in one place for all of them.
struct SquaredNeighbours {
  at::Tensor squared;
  at::Tensor index;
};

/// What defines the result.
SquaredNeighbours knn_reference(const at::Tensor& query, const at::Tensor& support, int64_t k,
                                SumOrder order);

using KnnFn = SquaredNeighbours(at::Tensor, at::Tensor, int64_t, SumOrder);
KernelList<KnnFn>& knn_kernels();

/// One call, seeded: shared by self-check, tests and `ops check`.
struct KnnCase {
  std::string name;
  at::Tensor query;
  at::Tensor support;
  int64_t k;
};
std::vector<KnnCase> knn_cases();
std::string check_knn(const Kernel<KnnFn>& kernel, c10::Device device);
/// The first difference from the reference in one call, or nothing.
std::string compare_knn(const Kernel<KnnFn>& kernel, c10::Device device, const KnnCase& call);
/// A call of a nasty kind over `points` points, drawn from a seed.
KnnCase random_knn_case(uint64_t seed, int64_t points);
/// A call as the models make it: a table top against some points of it, or the other way round.
KnnCase knn_scene(int64_t batches, int64_t queries, int64_t points, int64_t k);

}  // namespace grasppanda::ops
