#include "lib/geometry/rigid_transform.h"

#include <cmath>
#include <stdexcept>

namespace grasppanda::geometry {

RigidTransform rigid_transform_from_matrix(const std::array<double, 16>& m) {
  constexpr double kTolerance = 1e-3, kLastRow = 1e-6;
  constexpr std::array<double, 4> kWanted{0, 0, 0, 1};
  for (std::size_t i = 0; i < 4; ++i) {
    if (!(std::abs(m[12 + i] - kWanted[i]) <= kLastRow)) {
      throw std::invalid_argument("the last row of the 4x4 transform is not 0 0 0 1");
    }
  }
  const RigidTransform transform{{m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]},
                                 {m[3], m[7], m[11]}};
  if (!is_rotation(transform.rotation, kTolerance)) {
    throw std::invalid_argument("the upper left 3x3 of the transform is no rotation");
  }
  for (const double t : transform.translation) {
    if (!std::isfinite(t)) throw std::invalid_argument("the translation is not finite");
  }
  return transform;
}

std::array<double, 16> matrix_from(const RigidTransform& a_from_b) {
  const Mat3& r = a_from_b.rotation;
  const Vec3& t = a_from_b.translation;
  return {r[0], r[1], r[2], t[0], r[3], r[4], r[5], t[1], r[6], r[7], r[8], t[2], 0, 0, 0, 1};
}

RigidTransform operator*(const RigidTransform& a_from_b, const RigidTransform& b_from_c) {
  return {multiply(a_from_b.rotation, b_from_c.rotation), a_from_b * b_from_c.translation};
}

RigidTransform inverse(const RigidTransform& a_from_b) {
  const Mat3 rotation = transpose(a_from_b.rotation);
  const Vec3 turned = multiply(rotation, a_from_b.translation);
  return {rotation, {-turned[0], -turned[1], -turned[2]}};
}

}  // namespace grasppanda::geometry
