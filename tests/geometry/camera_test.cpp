#include "lib/geometry/camera.h"

#include <limits>
#include <stdexcept>
#include <string>

#include "tests/catch.h"

using namespace grasppanda::geometry;

namespace {

std::string refusal(const std::array<double, 9>& matrix) {
  try {
    intrinsics_from_matrix(matrix);
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

bool contains(const std::string& text, const std::string& part) {
  INFO(text);
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("camera: intrinsics from a matrix") {
  const Intrinsics k = intrinsics_from_matrix({631.5, 0, 638.4, 0, 631.2, 366.5, 0, 0, 1});
  CHECK(k.fx == 631.5);
  CHECK(k.fy == 631.2);
  CHECK(k.cx == 638.4);
  CHECK(k.cy == 366.5);
  // A calibration's small skew is dropped; rounding of the last row is forgiven.
  CHECK(intrinsics_from_matrix({600, 1.5, 320, 0, 600, 240, 0, 1e-9, 1 - 1e-9}).fx == 600);
}

TEST_CASE("camera: a matrix that cannot be a camera's is refused with the reason") {
  constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
  CHECK(contains(refusal({0, 0, 320, 0, 600, 240, 0, 0, 1}), "not positive"));
  CHECK(contains(refusal({600, 0, 320, 0, -600, 240, 0, 0, 1}), "fy -600"));
  CHECK(contains(refusal({600, 0, 320, 0, kNan, 240, 0, 0, 1}), "not finite"));
  CHECK(contains(refusal({600, 0, 0, 0, 600, 0, 320, 240, 1}), "transposed"));
  CHECK(contains(refusal({600, 0, 320, 0, 600, 240, 0, 0, 0}), "wanted 0 0 1"));
  CHECK_FALSE(contains(refusal({600, 0, 320, 0, 600, 240, 0, 0, 2}), "transposed"));
  CHECK(contains(refusal({600, 60, 320, 0, 600, 240, 0, 0, 1}), "skew 60"));
  CHECK(contains(refusal({600, 0, 320, 7, 600, 240, 0, 0, 1}), "skew 0 and 7"));
  CHECK_THROWS_AS(checked_intrinsics(1, 0, 0, 0), std::invalid_argument);
  CHECK_THROWS_AS(checked_intrinsics(1, 1, kNan, 0), std::invalid_argument);
}

TEST_CASE("camera: back-projection and projection are each other's inverse") {
  const Intrinsics k{600, 500, 320, 240};
  const Vec3 p = back_project(k, 380, 140, 2);
  CHECK(p == Vec3{0.2, -0.4, 2});  // x right, y down: column 380 is right, row 140 above
  const auto pixel = project(k, p);
  CHECK(pixel[0] == Approx(380));
  CHECK(pixel[1] == Approx(140));
}
