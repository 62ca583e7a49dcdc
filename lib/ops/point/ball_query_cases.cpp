#include <ATen/ATen.h>

#include <cmath>
#include <limits>

#include "lib/ops/point/ball_query.h"
#include "lib/ops/seeded_clouds.h"

namespace grasppanda::ops {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// A pair of points at a squared distance whose two sums differ, and the radius whose square is the
// larger of them: a hit in one order of addition, none in the other.
BallQueryCase order_of_addition(uint64_t seed) {
  SeededNumbers numbers(seed);
  for (;;) {
    const float x = numbers.uniform(), y = numbers.uniform(), z = numbers.uniform();
    const float left = (x * x + y * y) + z * z, middle_last = (x * x + z * z) + y * y;
    const double square = std::max(left, middle_last);
    const double radius = std::sqrt(square);
    if (left == middle_last || static_cast<float>(radius * radius) != static_cast<float>(square))
      continue;
    at::Tensor support = at::empty({1, 1, 3}, at::kFloat);
    float* out = support.data_ptr<float>();
    out[0] = x;
    out[1] = y;
    out[2] = z;
    return {"order of addition " + std::to_string(seed), at::zeros({1, 1, 3}), support, radius, 2};
  }
}

}  // namespace

std::vector<BallQueryCase> ball_query_cases() {
  std::vector<BallQueryCase> cases;
  uint64_t seed = 101;
  const auto add = [&](std::string name, CloudKind kind, int64_t batches, int64_t queries,
                       int64_t points, double radius, int64_t nsample) {
    const at::Tensor support = seeded_cloud(kind, batches, points, seed++);
    const at::Tensor query = queries <= points ? support.narrow(1, 0, queries)
                                               : seeded_cloud(kind, batches, queries, seed++);
    cases.push_back({std::move(name), query, support, radius, nsample});
  };
  add("partly filled", CloudKind::uniform, 2, 9, 101, 0.3, 16);
  add("more hits than slots", CloudKind::uniform, 1, 17, 331, 0.6, 8);
  add("points exactly on the surface", CloudKind::lattice, 1, 33, 257, 0.25, 12);
  add("all repeated", CloudKind::repeated, 1, 7, 64, 0.1, 70);
  add("nothing inside", CloudKind::uniform, 1, 5, 63, 0, 4);
  add("everything inside", CloudKind::uniform, 1, 3, 65, kInfinity, 80);
  add("fewer points than queries", CloudKind::uniform, 1, 40, 3, 0.7, 4);
  add("NaN and infinity", CloudKind::non_finite, 1, 130, 130, 0.4, 8);
  add("table top", CloudKind::table_top, 1, 64, 1025, 0.05, 16);
  for (uint64_t pair = 0; pair < 8; ++pair) cases.push_back(order_of_addition(pair));
  return cases;
}

BallQueryCase random_ball_query_case(uint64_t seed, int64_t points) {
  SeededNumbers numbers(seed);
  const CloudKind kind = drawn_kind(numbers);
  const int64_t batches = 1 + numbers.below(3), queries = drawn(numbers, {1, 9, 70});
  const at::Tensor support =
      maybe_strided(seeded_cloud(kind, batches, points, numbers.next()), numbers);
  const at::Tensor query = points >= queries ? support.narrow(1, 0, queries)
                                             : seeded_cloud(kind, batches, queries, numbers.next());
  const double radius = drawn(numbers, {0.0, 0.03, 0.25, 0.6, kInfinity});
  return {"random", query, support, radius, drawn<int64_t>(numbers, {1, 5, 64})};
}

BallQueryCase ball_query_scene(int64_t batches, int64_t queries, int64_t points, int64_t nsample) {
  const at::Tensor support = seeded_cloud(CloudKind::table_top, batches, points, 3);
  return {"scene", support.narrow(1, 0, queries).contiguous(), support, 0.05, nsample};
}

std::string compare_ball_query(const Kernel<BallQueryFn>& kernel, c10::Device device,
                               const BallQueryCase& call) {
  const SumOrder order = sum_order_on(device);
  const at::Tensor query = call.query.to(device), support = call.support.to(device);
  const Neighbourhood got = kernel.run(query, support, call.radius, call.nsample, order);
  const Neighbourhood want = ball_query_reference(query, support, call.radius, call.nsample, order);
  for (const std::string& difference : {first_difference("count", got.count, want.count),
                                        first_difference("index", got.index, want.index)})
    if (!difference.empty()) return call.name + ": " + difference;
  return {};
}

std::string check_ball_query(const Kernel<BallQueryFn>& kernel, c10::Device device) {
  for (const BallQueryCase& call : ball_query_cases())
    if (std::string difference = compare_ball_query(kernel, device, call); !difference.empty())
      return difference;
  return {};
}

}  // namespace grasppanda::ops
