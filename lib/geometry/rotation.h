// 3x3 matrices, row-major, in double, and what makes one a rotation.
#pragma once

#include <array>

#include "lib/geometry/camera.h"

namespace grasppanda::geometry {

using Mat3 = std::array<double, 9>;

inline constexpr Mat3 kIdentity3{1, 0, 0, 0, 1, 0, 0, 0, 1};

/// Sums of three products, left to right.
Mat3 multiply(const Mat3& a, const Mat3& b);
Mat3 transpose(const Mat3& m);
double determinant(const Mat3& m);

/// m * v, left to right.
inline Vec3 multiply(const Mat3& m, const Vec3& v) {
  return {(m[0] * v[0] + m[1] * v[1]) + m[2] * v[2], (m[3] * v[0] + m[4] * v[1]) + m[5] * v[2],
          (m[6] * v[0] + m[7] * v[1]) + m[8] * v[2]};
}

/// All entries finite, m * transpose(m) the identity within `tolerance` in every entry, determinant
/// positive (a mirror is no rotation).
bool is_rotation(const Mat3& m, double tolerance);

/// Right-handed turn by `angle_rad` about `axis` (any length but 0; Rodrigues' formula).
Mat3 rotation_about(const Vec3& axis, double angle_rad);

/// Angle in [0, pi] of the turn that takes rotation a to rotation b.
double angle_between_rad(const Mat3& a, const Mat3& b);

}  // namespace grasppanda::geometry
