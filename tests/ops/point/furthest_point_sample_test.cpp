#include "lib/ops/point/furthest_point_sample.h"

#include <cmath>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lib/ops/errors.h"
#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/ops/point/brute_force.h"
#include "tests/ops/refused.h"
#include "tests/ops/thread_count.h"

namespace grasppanda::tests {
namespace {

using ops::TieBreak;
constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInf = std::numeric_limits<float>::infinity();

at::Tensor on_x_axis(const std::vector<float>& x) {
  at::Tensor cloud = at::zeros({1, static_cast<int64_t>(x.size()), 3});
  for (std::size_t i = 0; i < x.size(); ++i) cloud[0][static_cast<int64_t>(i)][0] = x[i];
  return cloud;
}

struct Oracle {
  std::string name;
  std::vector<float> x;  // points on the x axis
  bool skip_near_origin;
  TieBreak tie_break;
  std::vector<int64_t> picks;
};

// Distances are differences of these coordinates, so the picks can be followed by hand.
const std::vector<Oracle> kOracles = {
    {"the first pick is index 0, whatever it is", {5, 1, 9}, false, TieBreak::lowest_index, {0}},
    {"furthest first", {0, 1, 2, 3, 10}, false, TieBreak::lowest_index, {0, 4, 3}},
    // 1 and 2 are both at 1 from the picks 0, 10 and 3.
    {"a tie takes the lowest index", {0, 1, 2, 3, 10}, false, TieBreak::lowest_index, {0, 4, 3, 1}},
    // Four threads: index 1 is thread 01, reversed 10; index 2 is thread 10, reversed 01.
    {"a tie takes the lowest reversed thread",
     {0, 1, 2, 3, 10},
     false,
     TieBreak::pointnet2_cuda,
     {0, 4, 3, 2}},
    // Indices 1 and 5 share thread 1: within a thread the smaller index.
    {"within a thread the lowest index",
     {0, 7, 0, 0, 0, 7},
     false,
     TieBreak::pointnet2_cuda,
     {0, 1}},
    {"all equal: the rule alone decides", {1, 1, 1}, false, TieBreak::pointnet2_cuda, {0, 0, 0}},
    {"more picks than points", {0, 1}, false, TieBreak::lowest_index, {0, 1, 0, 0}},
    {"points near the origin are only ever first",
     {0.01F, 0.02F, 5, 0.03F, 6},
     true,
     TieBreak::lowest_index,
     {0, 4, 2, 2}},
    {"nothing but points near the origin", {0.01F, 0.02F}, true, TieBreak::lowest_index, {0, 0, 0}},
    {"an excluded index 0 is not taken again", {0, 5}, true, TieBreak::lowest_index, {0, 1, 1, 1}},
    {"a NaN point is next, then the first of all",
     {1, 2, kNan, 3},
     false,
     TieBreak::lowest_index,
     {0, 2, 0, 0}},
    {"an excluded point is not eligible even with a NaN value",
     {0, kNan, 3},
     true,
     TieBreak::lowest_index,
     {0, 1, 1, 1}},
    {"an infinite point is taken again and again",
     {1, kInf, 3},
     false,
     TieBreak::lowest_index,
     {0, 1, 1, 1}},
};

TEST_CASE("furthest_point_sample: hand-computed picks, every kernel") {
  for (const auto& kernel : ops::furthest_point_sample_kernels().kernels_on(at::kCPU))
    for (const Oracle& oracle : kOracles) {
      INFO(kernel.name << ": " << oracle.name);
      const auto samples = static_cast<int64_t>(oracle.picks.size());
      const at::Tensor picks =
          kernel.run(on_x_axis(oracle.x), samples, oracle.skip_near_origin, oracle.tie_break);
      CHECK(std::vector<int64_t>(picks.data_ptr<int64_t>(), picks.data_ptr<int64_t>() + samples) ==
            oracle.picks);
    }
}

TEST_CASE("furthest_point_sample: the near-origin threshold is float32(1e-3), itself excluded") {
  const auto threshold = static_cast<float>(1e-3);
  const float above = std::nextafter(threshold, 1.0F);
  float x = std::sqrt(threshold);
  while (x * x >= threshold) x = std::nextafter(x, 0.0F);
  at::Tensor cloud = at::zeros({1, 3, 3});
  for (const auto& [norm, wanted] : {std::pair{threshold, 2}, {above, 1}}) {
    const float y = std::sqrt(norm - x * x);
    REQUIRE(x * x + y * y == norm);
    cloud[0][0][0] = 1;
    cloud[0][1][0] = x;
    cloud[0][1][1] = y;
    cloud[0][2][0] = 0.5F;  // nearer to pick 0 than point 1
    for (const auto& kernel : ops::furthest_point_sample_kernels().kernels_on(at::kCPU))
      CHECK(kernel.run(cloud, 2, true, TieBreak::lowest_index)[0][1].item<int64_t>() == wanted);
  }
}

TEST_CASE("furthest_point_sample: every kernel against loops on seeded clouds") {
  using ops::CloudKind;
  const std::vector<int64_t> sizes = {1,  2,  3,   7,   8,   9,   31,  32,  33,  63,
                                      64, 65, 127, 129, 255, 257, 511, 512, 513, 700};
  uint64_t seed = 0;
  int calls = 0;
  for (const auto& kernel : ops::furthest_point_sample_kernels().kernels_on(at::kCPU))
    for (const CloudKind kind : {CloudKind::uniform, CloudKind::lattice, CloudKind::repeated,
                                 CloudKind::origin, CloudKind::non_finite})
      for (const int64_t points : sizes)
        for (const TieBreak rule : {TieBreak::lowest_index, TieBreak::pointnet2_cuda}) {
          const bool skip = ++seed % 2 == 0;
          const int64_t batches = 1 + static_cast<int64_t>(seed % 3);
          const int64_t samples = 1 + static_cast<int64_t>(seed % 29);
          const at::Tensor cloud = ops::seeded_cloud(kind, batches, points, seed);
          INFO(kernel.name << " seed " << seed << " kind " << static_cast<int>(kind) << " ("
                           << batches << ", " << points << ", 3) samples " << samples << " skip "
                           << skip << ' ' << ops::tie_break_name(rule));
          const at::Tensor got = kernel.run(cloud, samples, skip, rule);
          REQUIRE(got.equal(brute_force_sample(cloud, samples, skip, rule)));
          ++calls;
        }
  CHECK(calls >= 200);
}

TEST_CASE("furthest_point_sample: strides, threads and batch do not matter") {
  const at::Tensor cloud = ops::seeded_cloud(ops::CloudKind::lattice, 3, 400, 5);
  const at::Tensor want = ops::furthest_point_sample(cloud, 20);
  const at::Tensor strided = cloud.transpose(1, 2).contiguous().transpose(1, 2);
  REQUIRE_FALSE(strided.is_contiguous());
  CHECK(ops::furthest_point_sample(strided, 20).equal(want));
  CHECK(ops::furthest_point_sample(cloud.narrow(0, 1, 1), 20).equal(want.narrow(0, 1, 1)));
  for (const int threads : {1, 2, 8}) {
    const ThreadCount scope(threads);
    CHECK(ops::furthest_point_sample(cloud, 20).equal(want));
  }
}

TEST_CASE("furthest_point_sample: other types compute in their own") {
  // In float32 both distances round to the same number; in float64 the last point is further.
  const at::Tensor cloud = on_x_axis({0, 1, 1}).to(at::kDouble);
  cloud[0][2][0] = 1 + 1e-12;
  CHECK(ops::furthest_point_sample(cloud, 2)[0][1].item<int64_t>() == 2);
  CHECK(ops::furthest_point_sample(cloud.to(at::kFloat), 2)[0][1].item<int64_t>() == 1);
  CHECK(ops::furthest_point_sample(on_x_axis({0, 1, 2}).to(at::kHalf), 2)[0][1].item<int64_t>() ==
        2);
}

TEST_CASE("furthest_point_sample: empty calls and refused arguments") {
  CHECK(ops::furthest_point_sample(at::zeros({0, 5, 3}), 4).sizes() == at::IntArrayRef{0, 4});
  CHECK(ops::furthest_point_sample(at::zeros({2, 5, 3}), 0).sizes() == at::IntArrayRef{2, 0});
  CHECK(ops::furthest_point_sample(at::zeros({2, 0, 3}), 0).sizes() == at::IntArrayRef{2, 0});
  check_refused("furthest_point_sample", "points has shape (4, 3), wants (B, N, 3)", [] {
    ops::furthest_point_sample(at::zeros({4, 3}), 1);
  });
  check_refused("furthest_point_sample", "points has shape (1, 4, 2)", [] {
    ops::furthest_point_sample(at::zeros({1, 4, 2}), 1);
  });
  check_refused("furthest_point_sample", "points is Long, wants a floating type", [] {
    ops::furthest_point_sample(at::zeros({1, 4, 3}, at::kLong), 1);
  });
  check_refused("furthest_point_sample", "num_samples is -1, wants >= 0", [] {
    ops::furthest_point_sample(at::zeros({1, 4, 3}), -1);
  });
  check_refused("furthest_point_sample", "points has shape (1, 0, 3), wants at least one point",
                [] {
                  ops::furthest_point_sample(at::zeros({1, 0, 3}), 1);
                });
  check_refused("furthest_point_sample", "tie_break is 'first'",
                [] { ops::parse_tie_break("first"); });
}

}  // namespace
}  // namespace grasppanda::tests
