#include "lib/geometry/camera.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace grasppanda::geometry {
namespace {

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.9g", value);
  return text;
}

}  // namespace

Intrinsics checked_intrinsics(double fx, double fy, double cx, double cy) {
  if (!std::isfinite(fx) || !std::isfinite(fy) || !std::isfinite(cx) || !std::isfinite(cy)) {
    throw std::invalid_argument("a number of the intrinsics is not finite");
  }
  if (fx <= 0 || fy <= 0) {
    throw std::invalid_argument("focal lengths fx " + number_text(fx) + ", fy " + number_text(fy) +
                                " are not positive");
  }
  return {fx, fy, cx, cy};
}

Intrinsics intrinsics_from_matrix(const std::array<double, 9>& m) {
  constexpr double kLastRow = 1e-6, kSkew = 0.01;
  if (!std::all_of(m.begin(), m.end(), [](double v) { return std::isfinite(v); })) {
    throw std::invalid_argument("the intrinsic matrix holds a number that is not finite");
  }
  const bool last_row =
      std::abs(m[6]) <= kLastRow && std::abs(m[7]) <= kLastRow && std::abs(m[8] - 1) <= kLastRow;
  if (!last_row) {
    const bool transposed = m[2] == 0 && m[5] == 0 && std::abs(m[8] - 1) <= kLastRow;
    throw std::invalid_argument(
        "the last row of the intrinsic matrix is " + number_text(m[6]) + " " + number_text(m[7]) +
        " " + number_text(m[8]) + ", wanted 0 0 1" +
        (transposed ? "; the matrix seems to be transposed (row-major is wanted)" : ""));
  }
  const Intrinsics k = checked_intrinsics(m[0], m[4], m[2], m[5]);
  if (std::abs(m[1]) > kSkew * k.fx || std::abs(m[3]) > kSkew * k.fy) {
    throw std::invalid_argument("the intrinsic matrix has skew " + number_text(m[1]) + " and " +
                                number_text(m[3]) +
                                " beside the focal lengths, wanted [fx 0 cx; 0 fy cy; 0 0 1]");
  }
  return k;
}

}  // namespace grasppanda::geometry
