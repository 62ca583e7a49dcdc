#include "lib/ops/point/ball_query.h"

#include <algorithm>
#include <cmath>
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
using ops::SumOrder;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

at::Tensor on_x_axis(const std::vector<float>& x) {
  at::Tensor cloud = at::zeros({1, static_cast<int64_t>(x.size()), 3});
  for (std::size_t i = 0; i < x.size(); ++i) cloud[0][static_cast<int64_t>(i)][0] = x[i];
  return cloud;
}

struct Oracle {
  std::string name;
  std::vector<float> support;  // on the x axis; the query is the origin
  double radius;
  std::vector<int64_t> index;
  int64_t count;
};

const std::vector<Oracle> kOracles = {
    {"hits in ascending index", {3, 1, -1, 9}, 4, {0, 1, 2}, 3},
    {"unused slots repeat the first hit", {9, 1, 9, 2}, 4, {1, 3, 1}, 2},
    {"more hits than slots", {1, 1, 1, 1, 1}, 4, {0, 1, 2}, 3},
    {"no hit: all 0, count 0", {9, 8}, 4, {0, 0, 0}, 0},
    {"on the surface is outside", {4, -4, 3}, 4, {2, 2, 2}, 1},
    {"radius 0 holds nothing, not even the point itself", {0, 1}, 0, {0, 0, 0}, 0},
    {"a radius whose square vanishes", {0}, 1e-30, {0, 0, 0}, 0},
    {"an infinite radius holds every finite distance",
     {7, kInf, 1e30F, kNan, 2},
     std::numeric_limits<double>::infinity(),
     {0, 4, 0},
     2},
    {"NaN and infinity are never hits", {kNan, kInf, 1}, 4, {2, 2, 2}, 1},
    {"no points", {}, 4, {0, 0, 0}, 0},
};

TEST_CASE("ball_query: hand-computed neighbours, every kernel") {
  const at::Tensor query = at::zeros({1, 1, 3});
  for (const auto& kernel : ops::ball_query_kernels().kernels_on(at::kCPU))
    for (const Oracle& oracle : kOracles) {
      INFO(kernel.name << ": " << oracle.name);
      const ops::Neighbourhood found =
          kernel.run(query, on_x_axis(oracle.support), oracle.radius, 3, SumOrder::left_to_right);
      CHECK(found.index.equal(at::tensor(oracle.index, at::kLong).view({1, 1, 3})));
      CHECK(found.count.item<int64_t>() == oracle.count);
    }
}

TEST_CASE("ball_query: the radius is squared in double, then rounded") {
  // float32(r * r) and the square of float32(r) differ in the last place; the squared distance is
  // the smaller of the two, so it is a hit of the larger alone.
  for (const double radius : {0.025, 0.05, 0.1, 0.2, 0.4, 0.8}) {
    const auto right = static_cast<float>(radius * radius);
    const float wrong = static_cast<float>(radius) * static_cast<float>(radius);
    REQUIRE(right != wrong);
    const float squared = std::min(right, wrong);
    float x = std::sqrt(squared);
    while (x * x >= squared) x = std::nextafter(x, 0.0F);
    const float y = std::sqrt(squared - x * x);
    REQUIRE(x * x + y * y == squared);
    at::Tensor support = at::zeros({1, 1, 3});
    support[0][0][0] = x;
    support[0][0][1] = y;
    for (const auto& kernel : ops::ball_query_kernels().kernels_on(at::kCPU))
      CHECK(kernel.run(at::zeros({1, 1, 3}), support, radius, 1, SumOrder::left_to_right)
                .count.item<int64_t>() == (squared < right ? 1 : 0));
  }
}

TEST_CASE("ball_query: every kernel against loops on seeded clouds, both orders of addition") {
  const std::vector<int64_t> sizes = {1, 2, 7, 31, 32, 33, 63, 64, 65, 96, 127, 129, 500};
  uint64_t seed = 0;
  int calls = 0;
  for (const auto& kernel : ops::ball_query_kernels().kernels_on(at::kCPU))
    for (const CloudKind kind :
         {CloudKind::uniform, CloudKind::lattice, CloudKind::repeated, CloudKind::non_finite})
      for (const int64_t points : sizes)
        for (const int64_t nsample : {1, 5, 64}) {
          ++seed;
          const SumOrder order = seed % 2 == 0 ? SumOrder::left_to_right : SumOrder::middle_last;
          const int64_t batches = 1 + static_cast<int64_t>(seed % 3);
          const int64_t queries = 1 + static_cast<int64_t>(seed % 40);
          const double radius = std::vector<double>{0.125, 0.25, 0.375, 0.7}[seed % 4];
          const at::Tensor query = ops::seeded_cloud(kind, batches, queries, seed);
          const at::Tensor support = ops::seeded_cloud(kind, batches, points, seed + 1000);
          INFO(kernel.name << " seed " << seed << " kind " << static_cast<int>(kind) << " ("
                           << batches << ", " << queries << " x " << points << ") radius " << radius
                           << " nsample " << nsample);
          if (kernel.declines && !kernel.declines(query, support, radius, nsample, order).empty())
            continue;
          const ops::Neighbourhood got = kernel.run(query, support, radius, nsample, order);
          const ops::Neighbourhood want = brute_force_ball(query, support, radius, nsample, order);
          REQUIRE(got.count.equal(want.count));
          REQUIRE(got.index.equal(want.index));
          ++calls;
        }
  CHECK(calls >= 150);
}

TEST_CASE("ball_query: the order of addition decides some hits, and the device's is the default") {
  int decided = 0;
  for (const ops::BallQueryCase& c : ops::ball_query_cases()) {
    if (c.name.rfind("order of addition", 0) != 0) continue;
    const auto left =
        ops::ball_query(c.query, c.support, c.radius, c.nsample, SumOrder::left_to_right);
    const auto last =
        ops::ball_query(c.query, c.support, c.radius, c.nsample, SumOrder::middle_last);
    CHECK(left.count.item<int64_t>() + last.count.item<int64_t>() == 1);
    CHECK(ops::ball_query(c.query, c.support, c.radius, c.nsample).count.equal(left.count));
    ++decided;
  }
  CHECK(decided == 8);
}

TEST_CASE("ball_query: strides, threads, batch and the split of the queries do not matter") {
  const at::Tensor cloud = ops::seeded_cloud(CloudKind::table_top, 2, 6000, 3);
  const at::Tensor query = cloud.narrow(1, 0, 300);
  const ops::Neighbourhood want = ops::ball_query(query, cloud, 0.05, 16);
  CHECK(want.count.count_nonzero().item<int64_t>() == 600);
  const at::Tensor strided = cloud.transpose(1, 2).contiguous().transpose(1, 2);
  CHECK(ops::ball_query(query, strided, 0.05, 16).index.equal(want.index));
  CHECK(ops::ball_query(query.narrow(0, 1, 1), cloud.narrow(0, 1, 1), 0.05, 16)
            .index.equal(want.index.narrow(0, 1, 1)));
  CHECK(ops::ball_query(query.narrow(1, 100, 1), cloud, 0.05, 16)
            .index.equal(want.index.narrow(1, 100, 1)));
  for (const int threads : {1, 2, 8}) {
    const ThreadCount scope(threads);
    CHECK(ops::ball_query(query, cloud, 0.05, 16).index.equal(want.index));
  }
}

TEST_CASE("ball_query: other types compute in their own") {
  const at::Tensor query = at::zeros({1, 1, 3}, at::kDouble);
  at::Tensor support = at::zeros({1, 1, 3}, at::kDouble);
  support[0][0][0] = 1 - 1e-12;  // inside in float64, on the surface in float32
  CHECK(ops::ball_query(query, support, 1, 1).count.item<int64_t>() == 1);
  CHECK(ops::ball_query(query.to(at::kFloat), support.to(at::kFloat), 1, 1).count.item<int64_t>() ==
        0);
}

TEST_CASE("ball_query: empty calls and refused arguments") {
  const at::Tensor cloud = at::zeros({2, 5, 3});
  CHECK(ops::ball_query(at::zeros({0, 4, 3}), at::zeros({0, 5, 3}), 1, 2).index.sizes() ==
        at::IntArrayRef{0, 4, 2});
  CHECK(ops::ball_query(at::zeros({2, 0, 3}), cloud, 1, 2).index.sizes() ==
        at::IntArrayRef{2, 0, 2});
  check_refused("ball_query", "radius is -1, wants a number >= 0",
                [&] { ops::ball_query(cloud, cloud, -1, 2); });
  check_refused("ball_query", "radius is nan", [&] { ops::ball_query(cloud, cloud, kNan, 2); });
  check_refused("ball_query", "nsample is 0, wants >= 1",
                [&] { ops::ball_query(cloud, cloud, 1, 0); });
  check_refused("ball_query", "support holds 1 clouds, wants 2 like query",
                [&] { ops::ball_query(cloud, cloud.narrow(0, 0, 1), 1, 2); });
  check_refused("ball_query", "support is Double, wants Float like query",
                [&] { ops::ball_query(cloud, cloud.to(at::kDouble), 1, 2); });
  check_refused("ball_query", "query has shape (5, 3)", [&] {
    ops::ball_query(at::zeros({5, 3}), cloud, 1, 2);
  });
}

}  // namespace
}  // namespace grasppanda::tests
