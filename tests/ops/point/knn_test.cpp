#include "lib/ops/point/knn.h"

#include <limits>
#include <string>
#include <vector>

#include "lib/ops/seeded_clouds.h"
#include "lib/ops/self_check.h"
#include "tests/catch.h"
#include "tests/ops/point/brute_force.h"
#include "tests/ops/refused.h"
#include "tests/ops/thread_count.h"

namespace grasppanda::tests {
namespace {

using ops::CloudKind;
using ops::SumOrder;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

struct Oracle {
  std::string name;
  std::vector<float> support;  // on the x axis; the query is the origin
  std::vector<int64_t> index;
  std::vector<float> squared;
};

const std::vector<Oracle> kOracles = {
    {"nearest first", {3, -1, 2}, {1, 2, 0}, {1, 4, 9}},
    {"ties by index", {2, -1, 1, -2, 1}, {1, 2, 4, 0, 3}, {1, 1, 1, 4, 4}},
    {"infinity behind numbers, NaN behind infinity",
     {kNan, kInf, 5, kNan, -kInf, 1e30F},
     {2, 1, 4, 5, 0, 3},
     {25, kInf, kInf, kInf, kNan, kNan}},
    {"squares decide where roots would tie", {1e-23F, 0}, {0, 1}, {0, 0}},
};

TEST_CASE("knn: hand-computed neighbours, every kernel") {
  for (const auto& kernel : ops::knn_kernels().kernels_on(at::kCPU))
    for (const Oracle& oracle : kOracles) {
      const auto points = static_cast<int64_t>(oracle.support.size());
      at::Tensor support = at::zeros({1, points, 3});
      support.select(2, 0).copy_(at::tensor(oracle.support));
      for (int64_t k = 1; k <= points; ++k) {
        INFO(kernel.name << ": " << oracle.name << ", k = " << k);
        const ops::SquaredNeighbours found =
            kernel.run(at::zeros({1, 1, 3}), support, k, SumOrder::left_to_right);
        CHECK(found.index.view({k}).equal(at::tensor(oracle.index, at::kLong).narrow(0, 0, k)));
        CHECK(ops::first_difference("squared", found.squared.view({k}),
                                    at::tensor(oracle.squared).narrow(0, 0, k)) == "");
      }
    }
}

TEST_CASE("knn: every kernel against loops on seeded clouds, both orders of addition") {
  const std::vector<int64_t> sizes = {1, 2, 3, 31, 32, 33, 64, 65, 127, 129, 200, 257, 700};
  uint64_t seed = 0;
  int calls = 0;
  for (const auto& kernel : ops::knn_kernels().kernels_on(at::kCPU))
    for (const CloudKind kind :
         {CloudKind::uniform, CloudKind::lattice, CloudKind::repeated, CloudKind::non_finite})
      for (const int64_t points : sizes)
        for (const int64_t wanted : {1, 3, 16, 64, 1000}) {
          ++seed;
          const int64_t k = std::min(wanted, points);
          const SumOrder order = seed % 2 == 0 ? SumOrder::left_to_right : SumOrder::middle_last;
          const int64_t batches = 1 + static_cast<int64_t>(seed % 3);
          const int64_t queries = 1 + static_cast<int64_t>(seed % 25);
          const at::Tensor query = ops::seeded_cloud(kind, batches, queries, seed);
          const at::Tensor support = ops::seeded_cloud(kind, batches, points, seed + 1000);
          INFO(kernel.name << " seed " << seed << " kind " << static_cast<int>(kind) << " ("
                           << batches << ", " << queries << " x " << points << ") k " << k);
          if (kernel.declines && !kernel.declines(query, support, k, order).empty()) continue;
          const ops::SquaredNeighbours got = kernel.run(query, support, k, order);
          const ops::SquaredNeighbours want = brute_force_knn(query, support, k, order);
          REQUIRE(got.index.equal(want.index));
          REQUIRE(ops::first_difference("squared", got.squared, want.squared) == "");
          ++calls;
        }
  CHECK(calls >= 250);
}

TEST_CASE("knn: squared distances have the bits of LibTorch's own sum over the last axis") {
  const at::Tensor query = ops::seeded_cloud(CloudKind::uniform, 1, 50, 1);
  const at::Tensor support = ops::seeded_cloud(CloudKind::uniform, 1, 500, 2);
  const at::Tensor offset = query.unsqueeze(2).sub(support.unsqueeze(1));
  const at::Tensor summed = offset.mul(offset).sum(-1);
  const ops::NearestNeighbours all = ops::knn(query, support, 500);
  CHECK(all.squared.equal(summed.gather(2, all.index)));
  const ops::NearestNeighbours other = ops::knn(query, support, 500, SumOrder::middle_last);
  CHECK_FALSE(other.squared.equal(summed.gather(2, other.index)));
}

TEST_CASE("knn: the distance is LibTorch's root of the squared distance") {
  const at::Tensor query = ops::seeded_cloud(CloudKind::uniform, 2, 40, 7);
  const at::Tensor support = ops::seeded_cloud(CloudKind::uniform, 2, 300, 8);
  const ops::NearestNeighbours found = ops::knn(query, support, 5);
  CHECK(found.distance.equal(found.squared.sqrt()));
}

TEST_CASE("knn: strides, threads and batch do not matter") {
  const at::Tensor support = ops::seeded_cloud(CloudKind::table_top, 2, 4000, 3);
  const at::Tensor query = ops::seeded_cloud(CloudKind::table_top, 2, 150, 4);
  const at::Tensor want = ops::knn(query, support, 3).index;
  const at::Tensor strided = support.transpose(1, 2).contiguous().transpose(1, 2);
  CHECK(ops::knn(query, strided, 3).index.equal(want));
  CHECK(ops::knn(query.narrow(0, 1, 1), support.narrow(0, 1, 1), 3)
            .index.equal(want.narrow(0, 1, 1)));
  for (const int threads : {1, 2, 8}) {
    const ThreadCount scope(threads);
    CHECK(ops::knn(query, support, 3).index.equal(want));
  }
}

TEST_CASE("knn: gradients reach both clouds, with the same numbers") {
  at::Tensor query = ops::seeded_cloud(CloudKind::uniform, 1, 6, 31).set_requires_grad(true);
  at::Tensor support = ops::seeded_cloud(CloudKind::uniform, 1, 40, 32).set_requires_grad(true);
  const ops::NearestNeighbours found = ops::knn(query, support, 3);
  const ops::NearestNeighbours plain = ops::knn(query.detach(), support.detach(), 3);
  CHECK(found.squared.detach().equal(plain.squared));
  CHECK(found.index.equal(plain.index));
  CHECK_FALSE(plain.squared.requires_grad());
  found.squared.sum().backward();
  // d/dq of sum |q - s|^2 is twice the sum of the offsets.
  const at::Tensor neighbours =
      support.detach()[0].index_select(0, found.index.view({-1})).view({6, 3, 3});
  const at::Tensor want = query.detach()[0].unsqueeze(1).sub(neighbours).sum(1).mul(2);
  CHECK(at::allclose(query.grad()[0], want, 1e-5, 1e-6));
  CHECK(support.grad().count_nonzero().item<int64_t>() > 0);
}

TEST_CASE("knn: empty calls and refused arguments") {
  const at::Tensor cloud = at::zeros({2, 5, 3});
  CHECK(ops::knn(at::zeros({2, 0, 3}), cloud, 4).index.sizes() == at::IntArrayRef{2, 0, 4});
  CHECK(ops::knn(at::zeros({0, 3, 3}), at::zeros({0, 5, 3}), 4).distance.sizes() ==
        at::IntArrayRef{0, 3, 4});
  check_refused("knn", "k is 0, wants >= 1", [&] { ops::knn(cloud, cloud, 0); });
  check_refused("knn", "k is 6, wants at most the 5 points of support",
                [&] { ops::knn(cloud, cloud, 6); });
  check_refused("knn", "k is 1, wants at most the 0 points", [&] {
    ops::knn(cloud, at::zeros({2, 0, 3}), 1);
  });
  check_refused("knn", "support holds 1 clouds",
                [&] { ops::knn(cloud, cloud.narrow(0, 0, 1), 1); });
}

}  // namespace
}  // namespace grasppanda::tests
