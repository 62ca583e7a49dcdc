#include "lib/eval/force_closure.h"

#include <cmath>

namespace grasppanda::eval {
namespace {

Vec3 along(const ClosingAxis& axis, double t) {
  Vec3 point;
  for (std::size_t i = 0; i < 3; ++i) point[i] = axis.centre[i] + t * axis.direction[i];
  return point;
}

// NaN when rounding takes the cosine above 1; a NaN is inside of every friction cone.
double angle_from_line(const Vec3& normal, const Vec3& line) {
  const auto dot = [](const Vec3& a, const Vec3& b) {
    return (a[0] * b[0] + a[1] * b[1]) + a[2] * b[2];
  };
  const double cosine =
      std::abs(dot(normal, line)) / std::sqrt(dot(normal, normal)) / std::sqrt(dot(line, line));
  return std::acos(cosine);
}

}  // namespace

ForceClosure force_closure(const DistanceGrid& grid, const ClosingAxis& axis) {
  ForceClosure result;
  const double half = axis.width / 2;
  const Vec3& v = axis.direction;
  const auto first = first_contact(grid, along(axis, -half), v, half);
  if (!first) return result;
  const auto second = first_contact(grid, along(axis, half), {-v[0], -v[1], -v[2]}, half);
  if (!second) return result;
  result.contacts = {*first, *second};
  if (first->point == second->point) return result;
  const Vec3 line = {second->point[0] - first->point[0], second->point[1] - first->point[1],
                     second->point[2] - first->point[2]};
  result.angles_rad = {angle_from_line(first->normal, line), angle_from_line(second->normal, line)};
  for (std::size_t i = kFrictions.size(); i-- > 0;) {
    const double cone = std::atan(kFrictions[i]);
    if (result.angles_rad[0] > cone || result.angles_rad[1] > cone) break;
    result.score = kFrictions[i];
  }
  return result;
}

}  // namespace grasppanda::eval
