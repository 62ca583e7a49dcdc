// Rigid transforms between frames. Variables are named by frames, `a_from_b`: p_a = a_from_b * p_b,
// so a_from_c = a_from_b * b_from_c can be checked by eye.
#pragma once

#include <array>

#include "lib/geometry/rotation.h"

namespace grasppanda::geometry {

struct RigidTransform {
  Mat3 rotation = kIdentity3;
  Vec3 translation{0, 0, 0};
};

/// From a row-major 4x4 matrix. Throws std::invalid_argument, saying what is wrong: last row not
/// 0 0 0 1, or a rotation part that is none (entries of R * transpose(R) off by more than 1e-3:
/// poses come from float32 files and calibrations).
RigidTransform rigid_transform_from_matrix(const std::array<double, 16>& matrix);
std::array<double, 16> matrix_from(const RigidTransform& a_from_b);

RigidTransform operator*(const RigidTransform& a_from_b, const RigidTransform& b_from_c);

/// ((r0*x + r1*y) + r2*z) + t on every axis.
inline Vec3 operator*(const RigidTransform& a_from_b, const Vec3& p_b) {
  const Vec3 turned = multiply(a_from_b.rotation, p_b);
  return {turned[0] + a_from_b.translation[0], turned[1] + a_from_b.translation[1],
          turned[2] + a_from_b.translation[2]};
}

/// b_from_a, with the transposed rotation.
RigidTransform inverse(const RigidTransform& a_from_b);

}  // namespace grasppanda::geometry
