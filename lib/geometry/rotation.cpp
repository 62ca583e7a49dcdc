#include "lib/geometry/rotation.h"

#include <algorithm>
#include <cmath>

namespace grasppanda::geometry {

Mat3 multiply(const Mat3& a, const Mat3& b) {
  Mat3 out;
  for (std::size_t r = 0; r < 3; ++r) {
    for (std::size_t c = 0; c < 3; ++c) {
      out[3 * r + c] = (a[3 * r] * b[c] + a[3 * r + 1] * b[3 + c]) + a[3 * r + 2] * b[6 + c];
    }
  }
  return out;
}

Mat3 transpose(const Mat3& m) {
  return {m[0], m[3], m[6], m[1], m[4], m[7], m[2], m[5], m[8]};
}

double determinant(const Mat3& m) {
  return m[0] * (m[4] * m[8] - m[5] * m[7]) - m[1] * (m[3] * m[8] - m[5] * m[6]) +
         m[2] * (m[3] * m[7] - m[4] * m[6]);
}

bool is_rotation(const Mat3& m, double tolerance) {
  const Mat3 product = multiply(m, transpose(m));
  for (std::size_t i = 0; i < 9; ++i) {
    if (!(std::abs(product[i] - kIdentity3[i]) <= tolerance)) return false;  // NaN is none
  }
  return determinant(m) > 0;
}

Mat3 rotation_about(const Vec3& axis, double angle_rad) {
  const double length = std::sqrt((axis[0] * axis[0] + axis[1] * axis[1]) + axis[2] * axis[2]);
  const double x = axis[0] / length, y = axis[1] / length, z = axis[2] / length;
  const double c = std::cos(angle_rad), s = std::sin(angle_rad), t = 1 - c;
  return {t * x * x + c,     t * x * y - s * z, t * x * z + s * y, t * x * y + s * z, t * y * y + c,
          t * y * z - s * x, t * x * z - s * y, t * y * z + s * x, t * z * z + c};
}

double angle_between_rad(const Mat3& a, const Mat3& b) {
  const Mat3 turn = multiply(transpose(a), b);
  // Sine and cosine together: acos alone loses half of the digits near 0 and pi.
  const Vec3 twice_sine{turn[7] - turn[5], turn[2] - turn[6], turn[3] - turn[1]};
  const double sine = std::hypot(twice_sine[0], twice_sine[1], twice_sine[2]) / 2;
  const double cosine = (turn[0] + turn[4] + turn[8] - 1) / 2;
  return std::atan2(sine, cosine);
}

}  // namespace grasppanda::geometry
