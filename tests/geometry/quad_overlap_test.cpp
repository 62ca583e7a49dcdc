#include "lib/geometry/quad_overlap.h"

#include <cmath>
#include <limits>
#include <random>

#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

using geometry::PreparedQuad;
using geometry::Quad;
using Kind = geometry::PreparedQuad::Kind;

double overlap_of(const Quad& a, const Quad& b) {
  return overlap(PreparedQuad(a), PreparedQuad(b));
}

const Quad kSquare = {{{0, 0}, {10, 0}, {10, 10}, {0, 10}}};

}  // namespace

TEST_CASE("overlaps that are known") {
  CHECK(overlap_of(kSquare, kSquare) == 1);
  CHECK(overlap_of(kSquare, {{{5, 0}, {15, 0}, {15, 10}, {5, 10}}}) == Approx(1.0 / 3));
  CHECK(overlap_of(kSquare, {{{10, 0}, {20, 0}, {20, 10}, {10, 10}}}) == 0);
  CHECK(overlap_of(kSquare, {{{2, 2}, {4, 2}, {4, 4}, {2, 4}}}) == Approx(0.04));
  // The square and the same one on its tip: a regular octagon.
  const double h = 5 * std::sqrt(2.0);
  const double octagon = 200 * (std::sqrt(2.0) - 1);
  CHECK(overlap_of(kSquare, {{{5, 5 - h}, {5 + h, 5}, {5, 5 + h}, {5 - h, 5}}}) ==
        Approx(octagon / (200 - octagon)));
}

TEST_CASE("corner order and direction do not matter") {
  const Quad other = {{{3, 1}, {14, 4}, {12, 12}, {1, 9}}};
  const double wanted = overlap_of(kSquare, other);
  for (std::size_t shift = 0; shift < 4; ++shift) {
    Quad turned, back;
    for (std::size_t i = 0; i < 4; ++i) {
      turned[i] = other[(i + shift) % 4];
      back[3 - i] = turned[i];
    }
    CHECK(overlap_of(kSquare, turned) == Approx(wanted).epsilon(1e-12));
    CHECK(overlap_of(back, kSquare) == Approx(wanted).epsilon(1e-12));
  }
}

TEST_CASE("sides that cross, a corner that turns in, no area") {
  const Quad bow = {{{0, 0}, {10, 10}, {10, 0}, {0, 10}}};
  CHECK(PreparedQuad(bow).kind() == Kind::crossing);
  CHECK(overlap_of(bow, kSquare) == 1);
  const Quad arrow = {{{0, 0}, {10, 0}, {10, 10}, {8, 2}}};
  CHECK(PreparedQuad(arrow).kind() == Kind::simple);
  CHECK(PreparedQuad(arrow).area() == Approx(20));
  CHECK(overlap_of(arrow, kSquare) == Approx(0.2));
  CHECK(overlap_of(arrow, arrow) == Approx(1));
  const Quad line = {{{0, 0}, {5, 5}, {10, 10}, {3, 3}}};
  CHECK(PreparedQuad(line).kind() == Kind::no_area);
  CHECK(overlap_of(line, kSquare) == 0);
  const Quad nowhere = {{{0, 0}, {std::numeric_limits<double>::quiet_NaN(), 0}, {1, 1}, {0, 1}}};
  CHECK(overlap_of(nowhere, kSquare) == 0);
}

TEST_CASE("random quadrilaterals against counted points") {
  std::mt19937 random(23);
  std::uniform_real_distribution<double> place(0, 20);
  const auto inside = [](const Quad& q, double x, double y) {
    bool in = false;  // even-odd rule
    for (std::size_t i = 0, j = 3; i < 4; j = i++) {
      if ((q[i][1] > y) != (q[j][1] > y) &&
          x < (q[j][0] - q[i][0]) * (y - q[i][1]) / (q[j][1] - q[i][1]) + q[i][0]) {
        in = !in;
      }
    }
    return in;
  };
  int compared = 0;
  for (int round = 0; round < 200; ++round) {
    Quad a, b;
    for (auto* quad : {&a, &b}) {
      for (auto& corner : *quad) corner = {place(random), place(random)};
    }
    if (PreparedQuad(a).kind() != Kind::simple || PreparedQuad(b).kind() != Kind::simple) continue;
    int both = 0, either = 0;
    for (int x = 0; x < 100; ++x) {
      for (int y = 0; y < 100; ++y) {
        const bool in_a = inside(a, x * 0.2 + 0.1, y * 0.2 + 0.1);
        const bool in_b = inside(b, x * 0.2 + 0.1, y * 0.2 + 0.1);
        both += in_a && in_b;
        either += in_a || in_b;
      }
    }
    if (either < 200) continue;
    ++compared;
    CHECK(overlap_of(a, b) == Approx(static_cast<double>(both) / either).margin(0.05));
  }
  CHECK(compared > 30);
}

}  // namespace grasppanda::tests
