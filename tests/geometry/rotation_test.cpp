#include "lib/geometry/rotation.h"

#include <cmath>
#include <limits>
#include <numbers>

#include "tests/catch.h"

using namespace grasppanda::geometry;

namespace {

constexpr double kPi = std::numbers::pi;

bool near(const Mat3& a, const Mat3& b, double tolerance = 1e-15) {
  for (std::size_t i = 0; i < 9; ++i) {
    if (!(std::abs(a[i] - b[i]) <= tolerance)) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("rotation: about an axis turns right-handed, whatever the axis' length") {
  const Mat3 quarter = rotation_about({0, 0, 5}, kPi / 2);
  CHECK(near(quarter, {0, -1, 0, 1, 0, 0, 0, 0, 1}));
  const Vec3 y = multiply(quarter, Vec3{1, 0, 0});
  CHECK(y[1] == Approx(1));
  CHECK(near(rotation_about({1, 1, 1}, 2 * kPi / 3), {0, 0, 1, 1, 0, 0, 0, 1, 0}));
}

TEST_CASE("rotation: products, transposes, determinants by hand") {
  const Mat3 a{1, 2, 3, 4, 5, 6, 7, 8, 10}, b{2, 0, 1, 0, 1, 0, 1, 0, 0};
  CHECK(multiply(a, b) == Mat3{5, 2, 1, 14, 5, 4, 24, 8, 7});
  CHECK(transpose(a) == Mat3{1, 4, 7, 2, 5, 8, 3, 6, 10});
  CHECK(determinant(a) == -3);
  CHECK(multiply(a, kIdentity3) == a);
  CHECK(multiply(a, Vec3{1, 0, -1}) == Vec3{-2, -2, -3});
}

TEST_CASE("rotation: what is one") {
  const Mat3 turn = rotation_about({1, -2, 0.5}, 1.1);
  CHECK(is_rotation(turn, 1e-12));
  Mat3 scaled = turn;
  for (double& v : scaled) v *= 1.2;
  CHECK_FALSE(is_rotation(scaled, 1e-3));
  Mat3 mirrored = turn;
  for (const std::size_t i : {0, 3, 6}) mirrored[i] = -mirrored[i];
  CHECK_FALSE(is_rotation(mirrored, 1e-3));
  Mat3 nan = turn;
  nan[4] = std::numeric_limits<double>::quiet_NaN();
  CHECK_FALSE(is_rotation(nan, 1e-3));
  CHECK_FALSE(is_rotation({}, 1e-3));
}

TEST_CASE("rotation: the angle between two is exact for small ones and at half a turn") {
  const Mat3 base = rotation_about({0.3, 0.4, -1}, 0.7);
  for (const double angle : {0.0, 1e-9, 1e-4, 0.5, 3.0, kPi}) {
    const Mat3 turned = multiply(base, rotation_about({2, -1, 0.1}, angle));
    CHECK(angle_between_rad(base, turned) == Approx(angle).margin(1e-15).epsilon(1e-7));
  }
}
