// The direction in which points spread least.
#pragma once

#include <span>

#include "lib/geometry/camera.h"

namespace grasppanda::eval {

/// The third left singular vector of the 3 x n matrix of these columns (sign open), by one-sided
/// Jacobi rotations, accurate to the last bits where it is unique. Points on a line (fewer than
/// three points are) have no unique one: then it is any that is orthogonal to the line.
geometry::Vec3 third_left_singular_vector(std::span<const geometry::Vec3> columns);

}  // namespace grasppanda::eval
