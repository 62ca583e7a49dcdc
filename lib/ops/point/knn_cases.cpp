#include <ATen/ATen.h>

#include <algorithm>

#include "lib/ops/point/knn.h"
#include "lib/ops/seeded_clouds.h"

namespace grasppanda::ops {
namespace {

// What LibTorch itself makes of the distances: the order of addition must be the device's own.
at::Tensor summed_squares(const at::Tensor& query, const at::Tensor& support,
                          const at::Tensor& index) {
  const at::Tensor offset = query.unsqueeze(2).sub(support.unsqueeze(1));
  return offset.mul(offset).sum(-1).gather(2, index);
}

}  // namespace

std::vector<KnnCase> knn_cases() {
  std::vector<KnnCase> cases;
  uint64_t seed = 301;
  const auto add = [&](std::string name, CloudKind kind, int64_t batches, int64_t queries,
                       int64_t points, int64_t k) {
    cases.push_back({std::move(name), seeded_cloud(kind, batches, queries, seed),
                     seeded_cloud(kind, batches, points, seed + 1), k});
    seed += 2;
  };
  add("nearest of two clouds", CloudKind::uniform, 2, 37, 101, 1);
  add("three nearest", CloudKind::uniform, 1, 131, 67, 3);
  add("three of three", CloudKind::uniform, 1, 9, 3, 3);
  add("ties on a lattice", CloudKind::lattice, 1, 33, 257, 3);
  add("ties on a lattice, long lists", CloudKind::lattice, 1, 17, 300, 33);
  add("repeated points", CloudKind::repeated, 1, 7, 64, 16);
  add("all points", CloudKind::uniform, 1, 5, 50, 50);
  add("NaN and infinity", CloudKind::non_finite, 1, 40, 130, 8);
  add("NaN and infinity, all points", CloudKind::non_finite, 1, 40, 40, 40);
  add("table top", CloudKind::table_top, 1, 64, 1025, 64);
  return cases;
}

KnnCase random_knn_case(uint64_t seed, int64_t points) {
  SeededNumbers numbers(seed);
  const CloudKind kind = drawn_kind(numbers);
  // From 64 queries on the small k go through packs of queries, if there are enough of them.
  const int64_t batches = 1 + numbers.below(2), queries = drawn(numbers, {1, 40, 63, 64, 300});
  const int64_t k = std::min(points, drawn<int64_t>(numbers, {1, 2, 3, 4, 5, 9, 64}));
  const at::Tensor support =
      maybe_strided(seeded_cloud(kind, batches, points, numbers.next()), numbers);
  const at::Tensor query =
      maybe_strided(seeded_cloud(kind, batches, queries, numbers.next()), numbers);
  return {"random", query, support, k};
}

KnnCase knn_scene(int64_t batches, int64_t queries, int64_t points, int64_t k) {
  const at::Tensor all = seeded_cloud(CloudKind::table_top, batches, std::max(queries, points), 3);
  return {"scene", all.narrow(1, 0, queries).contiguous(), all.narrow(1, 0, points).contiguous(),
          k};
}

std::string compare_knn(const Kernel<KnnFn>& kernel, c10::Device device, const KnnCase& call) {
  const SumOrder order = sum_order_on(device);
  const at::Tensor query = call.query.to(device), support = call.support.to(device);
  const SquaredNeighbours got = kernel.run(query, support, call.k, order);
  const SquaredNeighbours want = knn_reference(query, support, call.k, order);
  for (const std::string& difference : {first_difference("index", got.index, want.index),
                                        first_difference("squared", got.squared, want.squared)})
    if (!difference.empty()) return call.name + ": " + difference;
  return {};
}

std::string check_knn(const Kernel<KnnFn>& kernel, c10::Device device) {
  for (const KnnCase& call : knn_cases()) {
    if (std::string difference = compare_knn(kernel, device, call); !difference.empty())
      return difference;
    const at::Tensor query = call.query.to(device), support = call.support.to(device);
    const SquaredNeighbours got = kernel.run(query, support, call.k, sum_order_on(device));
    const std::string difference = first_difference("squared against sum(-1)", got.squared,
                                                    summed_squares(query, support, got.index));
    if (!difference.empty()) return call.name + ": " + difference;
  }
  return {};
}

}  // namespace grasppanda::ops
