#include "lib/ops/point/cylinder_query.h"

#include <limits>
#include <string>
#include <vector>

#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/ops/point/brute_force.h"
#include "tests/ops/refused.h"
#include "tests/ops/thread_count.h"

namespace grasppanda::tests {
namespace {

using ops::CloudKind;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

at::Tensor cloud_of(const std::vector<float>& xyz) {
  return at::tensor(xyz).view({1, -1, 3});
}

// The axis is column 0 of the rotation: here it points along z, closing along y.
at::Tensor upright() {
  return at::tensor({0.F, 0.F, -1.F, 0.F, 1.F, 0.F, 1.F, 0.F, 0.F}).view({1, 1, 3, 3});
}

struct Oracle {
  std::string name;
  std::vector<float> support;
  at::Tensor rotation;
  double radius, hmin, hmax;
  std::vector<int64_t> index;
  int64_t count;
};

TEST_CASE("cylinder_query: hand-computed neighbours, every kernel") {
  const at::Tensor along_x = at::eye(3).view({1, 1, 3, 3});
  const std::vector<Oracle> oracles = {
      {"along x", {2, 0, 0, 5, 0, 0, 2, 3, 0, 1, 0.5F, 0.5F}, along_x, 1, 0, 4, {0, 3, 0}, 2},
      {"along z, by column 0", {0, 0, 2, 2, 0, 0, 0.5F, 0, 3}, upright(), 1, 0, 4, {0, 2, 0}, 2},
      {"both ends are outside", {0, 0, 0, 4, 0, 0, 1, 0, 0}, along_x, 1, 0, 4, {2, 2, 2}, 1},
      {"the surface is outside", {1, 1, 0, 1, 0, -1, 1, 0.75F, 0}, along_x, 1, 0, 4, {2, 2, 2}, 1},
      {"no height", {1, 0, 0}, along_x, 1, 2, 2, {0, 0, 0}, 0},
      {"upside down", {1, 0, 0}, along_x, 1, 4, 0, {0, 0, 0}, 0},
      {"no end", {9e9F, 0, 0, -9e9F, 0, 0}, along_x, 1, -kInfinity, kInfinity, {0, 1, 0}, 2},
      {"NaN and infinity are never hits",
       {NAN, 0, 0, INFINITY, 0, 0, 1, NAN, 0, 1, 0, 0},
       along_x,
       1,
       -kInfinity,
       kInfinity,
       {3, 3, 3},
       1},
      {"any matrix will do", {1, 0, 0, 3, 0, 0}, along_x * 2, 1, 0, 4, {0, 0, 0}, 1},
  };
  for (const auto& kernel : ops::cylinder_query_kernels().kernels_on(at::kCPU))
    for (const Oracle& oracle : oracles) {
      INFO(kernel.name << ": " << oracle.name);
      const ops::Neighbourhood found =
          kernel.run(at::zeros({1, 1, 3}), cloud_of(oracle.support), oracle.rotation, oracle.radius,
                     oracle.hmin, oracle.hmax, 3);
      CHECK(found.index.equal(at::tensor(oracle.index, at::kLong).view({1, 1, 3})));
      CHECK(found.count.item<int64_t>() == oracle.count);
    }
}

TEST_CASE("cylinder_query: every kernel against loops where all products are exact") {
  // Lattice points and permutation matrices: no product or sum rounds, so no BLAS can differ, and
  // many points lie exactly on the surface.
  const at::Tensor turns =
      at::stack({at::eye(3), at::eye(3).roll({1}, {0}), upright()[0][0], at::eye(3).neg()});
  const std::vector<int64_t> sizes = {1, 2, 5, 31, 32, 33, 44, 45, 46, 64, 65, 129, 600};
  uint64_t seed = 0;
  int64_t hits = 0;
  for (const auto& kernel : ops::cylinder_query_kernels().kernels_on(at::kCPU))
    for (const int64_t points : sizes)
      for (const int64_t nsample : {1, 6, 64}) {
        ++seed;
        const int64_t batches = 1 + static_cast<int64_t>(seed % 2);
        const int64_t queries = 1 + static_cast<int64_t>(seed % 23);
        const at::Tensor query = ops::seeded_cloud(CloudKind::lattice, batches, queries, seed);
        const at::Tensor support =
            ops::seeded_cloud(CloudKind::lattice, batches, points, seed + 500);
        const at::Tensor rotation =
            turns.index_select(0, at::arange(batches * queries).remainder(4))
                .view({batches, queries, 3, 3});
        INFO(kernel.name << " seed " << seed << " (" << batches << ", " << queries << " x "
                         << points << ") nsample " << nsample);
        const ops::Neighbourhood got =
            kernel.run(query, support, rotation, 0.25, -0.125, 0.375, nsample);
        const ops::Neighbourhood want =
            brute_force_cylinder(query, support, rotation, 0.25, -0.125, 0.375, nsample);
        REQUIRE(got.count.equal(want.count));
        REQUIRE(got.index.equal(want.index));
        hits += want.count.sum().item<int64_t>();
      }
  CHECK(hits > 1000);
}

TEST_CASE("cylinder_query: rotated cylinders agree with loops but for points on the surface") {
  const at::Tensor support = ops::seeded_cloud(CloudKind::table_top, 1, 3000, 11);
  const at::Tensor query = support.narrow(1, 0, 400);
  const at::Tensor rotation = ops::seeded_rotations(1, 400, 12);
  const auto got = ops::cylinder_query(query, support, rotation, 0.05, -0.02, 0.04, 16);
  const auto want = brute_force_cylinder(query, support, rotation, 0.05, -0.02, 0.04, 16);
  const int64_t differing = got.index.ne(want.index).any(-1).sum().item<int64_t>();
  CHECK(differing <= 2);  // a last bit decides about one query in a thousand
  CHECK(want.count.sum().item<int64_t>() > 1000);
}

TEST_CASE("cylinder_query: a query's answer depends on itself and its whole support alone") {
  const at::Tensor support = ops::seeded_cloud(CloudKind::table_top, 2, 2500, 21);
  const at::Tensor query = support.narrow(1, 0, 200);
  const at::Tensor rotation = ops::seeded_rotations(2, 200, 22);
  const auto run = [&](const at::Tensor& q, const at::Tensor& s, const at::Tensor& r) {
    return ops::cylinder_query(q, s, r, 0.05, -0.02, 0.04, 16).index;
  };
  const at::Tensor want = run(query, support, rotation);
  CHECK(
      run(query.narrow(1, 77, 1), support, rotation.narrow(1, 77, 1)).equal(want.narrow(1, 77, 1)));
  CHECK(run(query.narrow(0, 1, 1), support.narrow(0, 1, 1), rotation.narrow(0, 1, 1))
            .equal(want.narrow(0, 1, 1)));
  const at::Tensor strided = rotation.transpose(2, 3).contiguous().transpose(2, 3);
  CHECK(run(query, support, strided).equal(want));
  for (const int threads : {1, 2, 8}) {
    const ThreadCount scope(threads);
    CHECK(run(query, support, rotation).equal(want));
  }
}

TEST_CASE("cylinder_query: empty calls and refused arguments") {
  const at::Tensor cloud = at::zeros({2, 5, 3}), rotation = at::zeros({2, 5, 3, 3});
  CHECK(ops::cylinder_query(at::zeros({2, 0, 3}), cloud, at::zeros({2, 0, 3, 3}), 1, 0, 1, 4)
            .index.sizes() == at::IntArrayRef{2, 0, 4});
  CHECK(ops::cylinder_query(cloud, at::zeros({2, 0, 3}), rotation, 1, 0, 1, 4)
            .count.sum()
            .item<int64_t>() == 0);
  check_refused("cylinder_query", "rotation has shape (2, 4, 3, 3), wants (B, M, 3, 3)", [&] {
    ops::cylinder_query(cloud, cloud, at::zeros({2, 4, 3, 3}), 1, 0, 1, 4);
  });
  check_refused("cylinder_query", "rotation is Double, wants Float like query",
                [&] { ops::cylinder_query(cloud, cloud, rotation.to(at::kDouble), 1, 0, 1, 4); });
  check_refused("cylinder_query", "hmin is NaN",
                [&] { ops::cylinder_query(cloud, cloud, rotation, 1, NAN, 1, 4); });
  check_refused("cylinder_query", "hmax is NaN",
                [&] { ops::cylinder_query(cloud, cloud, rotation, 1, 0, NAN, 4); });
  check_refused("cylinder_query", "radius is -0.5",
                [&] { ops::cylinder_query(cloud, cloud, rotation, -0.5, 0, 1, 4); });
  check_refused("cylinder_query", "nsample is 0",
                [&] { ops::cylinder_query(cloud, cloud, rotation, 1, 0, 1, 0); });
}

}  // namespace
}  // namespace grasppanda::tests
