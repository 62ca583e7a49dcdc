#include "lib/ops/grasp/grasp_nms.h"

#include <cmath>
#include <limits>
#include <vector>

#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/ops/refused.h"

namespace grasppanda::tests {
namespace {

constexpr double kPi = 3.14159265358979323846;
constexpr double kMetres = 0.03, kRadians = 30.0 / 180 * kPi;

struct Grasp {
  double score, x, turn;  // a place on the x axis, a turn about z
};

at::Tensor group(const std::vector<Grasp>& grasps) {
  at::Tensor rows = at::zeros({static_cast<int64_t>(grasps.size()), 17}, at::kDouble);
  for (std::size_t i = 0; i < grasps.size(); ++i) {
    double* row = rows.data_ptr<double>() + 17 * i;
    row[0] = grasps[i].score;
    row[4] = row[8] = std::cos(grasps[i].turn);
    row[5] = -std::sin(grasps[i].turn);
    row[7] = std::sin(grasps[i].turn);
    row[12] = 1;
    row[13] = grasps[i].x;
  }
  return rows;
}

std::vector<int64_t> kept(const at::Tensor& grasps, double metres = kMetres,
                          double radians = kRadians) {
  const at::Tensor index = ops::grasp_nms(grasps, metres, radians);
  return {index.data_ptr<int64_t>(), index.data_ptr<int64_t>() + index.numel()};
}

using Indices = std::vector<int64_t>;

TEST_CASE("grasp_nms: hand-computed groups") {
  CHECK(kept(group({{0.1, 0, 0}, {0.9, 0.01, 0}, {0.5, 1, 0}})) == Indices{1, 2});
  SECTION("the distance is strict") {
    CHECK(kept(group({{0.9, 0, 0}, {0.5, 0.03, 0}}), 0.03) == Indices{0, 1});
    CHECK(kept(group({{0.9, 0, 0}, {0.5, std::nextafter(0.03, 0), 0}}), 0.03) == Indices{0});
  }
  SECTION("the angle is strict") {
    CHECK(kept(group({{0.9, 0, 0}, {0.5, 0, kRadians + 1e-9}})) == Indices{0, 1});
    CHECK(kept(group({{0.9, 0, 0}, {0.5, 0, kRadians - 1e-6}})) == Indices{0});
  }
  SECTION("a deleted row deletes nothing") {
    CHECK(kept(group({{4, 2.00, 0}, {3, 2.02, 0}, {2, 2.04, 0}, {1, 2.06, 0}})) == Indices{0, 2});
  }
  SECTION("threshold 0 deletes nothing, not even a duplicate") {
    CHECK(kept(group({{0.9, 0, 0}, {0.9, 0, 0}}), 0) == Indices{0, 1});
    CHECK(kept(group({{0.9, 0, 0}, {0.9, 0, 0}}), kMetres, 0) == Indices{0, 1});
  }
  SECTION("above pi the angle does not count") {
    CHECK(kept(group({{0.9, 0, 0}, {0.5, 0, kPi}}), kMetres, 4) == Indices{0});
  }
  SECTION("equal scores keep input order") {
    CHECK(kept(group({{0.5, 3, 0}, {0.5, 1, 0}, {0.5, 2, 0}})) == Indices{0, 1, 2});
    CHECK(kept(group({{0.5, 0, 0}, {0.5, 0.01, 0}})) == Indices{0});
  }
  SECTION("the gripper's symmetry does not count") {
    CHECK(kept(group({{0.9, 0, 0}, {0.5, 0, kPi}})) == Indices{0, 1});
  }
  CHECK(kept(at::zeros({0, 17})).empty());
}

TEST_CASE("grasp_nms: rows that cannot be compared stay") {
  at::Tensor rows = group({{5, 0, 0}, {4, 0, 0}, {3, 0, 0}, {2, 0, 0}});
  rows[1][5] = NAN;
  rows[2][14] = NAN;
  CHECK(kept(rows) == Indices{0, 1, 2});
  rows[2][14] = std::numeric_limits<double>::infinity();
  CHECK(kept(rows) == Indices{0, 1, 2});
  rows[1][0] = NAN;
  check_refused("grasp_nms", "NaN score in row 1", [&] { kept(rows); });
}

// The rule as it is written, without a grid.
Indices brute_force(const at::Tensor& grasps, double metres, double radians) {
  const at::Tensor rows = grasps.to(at::kDouble).contiguous();
  const int64_t count = rows.size(0);
  const double* values = rows.data_ptr<double>();
  Indices order(count);
  for (int64_t i = 0; i < count; ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return values[17 * a] > values[17 * b]; });
  std::vector<bool> gone(count, false);
  Indices result;
  for (int64_t i = 0; i < count; ++i) {
    if (gone[i]) continue;
    result.push_back(order[i]);
    const double* a = values + 17 * order[i];
    for (int64_t j = i + 1; j < count; ++j) {
      const double* b = values + 17 * order[j];
      double square = 0, trace = 0;
      for (int k = 13; k < 16; ++k) square += (a[k] - b[k]) * (a[k] - b[k]);
      for (int k = 4; k < 13; k += 3)
        trace += (a[k] * b[k] + a[k + 1] * b[k + 1]) + a[k + 2] * b[k + 2];
      trace = trace > 3 ? 3 : trace < -1 ? -1 : trace;
      gone[j] = gone[j] || (std::sqrt(square) < metres && std::acos(0.5 * (trace - 1)) < radians);
    }
  }
  return result;
}

TEST_CASE("grasp_nms: against the rule without a grid, on seeded groups") {
  ops::SeededNumbers numbers(17);
  int64_t deleted = 0;
  for (int round = 0; round < 60; ++round) {
    const int64_t count = 1 + numbers.below(300);
    // Extents from millimetres to far beyond what the grid can tell apart.
    const double extent = std::vector<double>{0.02, 0.2, 2, 1e5, 1e12}[round % 5];
    at::Tensor rows = at::zeros({count, 17}, at::kDouble);
    rows.narrow(1, 4, 9).copy_(
        ops::seeded_rotations(1, count, static_cast<uint64_t>(round % 7))[0].view({count, 9}));
    for (int64_t i = 0; i < count; ++i) {
      double* row = rows.data_ptr<double>() + 17 * i;
      row[0] = round % 3 == 0 ? static_cast<double>(numbers.below(5)) : numbers.uniform();
      for (int k = 13; k < 16; ++k) row[k] = (numbers.uniform() - 0.5) * extent;
      if (numbers.below(4) == 0 && i > 0)
        for (int k = 4; k < 16; ++k) row[k] = (row - 17 * (1 + numbers.below(i)))[k];
    }
    INFO("round " << round << " rows " << count << " extent " << extent);
    const Indices want = brute_force(rows, kMetres, kRadians);
    REQUIRE(kept(rows) == want);
    deleted += count - static_cast<int64_t>(want.size());
  }
  CHECK(deleted > 500);
}

TEST_CASE("grasp_nms: refused arguments") {
  check_refused("grasp_nms", "grasps has shape (3, 16), wants (n, 17)", [] {
    kept(at::zeros({3, 16}));
  });
  check_refused("grasp_nms", "grasps is Half", [] { kept(at::zeros({3, 17}, at::kHalf)); });
  check_refused("grasp_nms", "translation_thresh is NaN", [] { kept(at::zeros({3, 17}), NAN); });
  check_refused("grasp_nms", "rotation_thresh is NaN", [] { kept(at::zeros({3, 17}), 1, NAN); });
}

}  // namespace
}  // namespace grasppanda::tests
