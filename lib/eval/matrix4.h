// Poses as 4x4 matrices, row-major, in the precision that the evaluation prescribes for each.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "lib/geometry/camera.h"

namespace grasppanda::eval {

using geometry::Vec3;
using Matrix4d = std::array<double, 16>;
using Matrix4f = std::array<float, 16>;

Matrix4d multiply(const Matrix4d& a, const Matrix4d& b);

/// By LU decomposition with row pivoting, in double; of a float32 matrix the result is rounded to
/// float32 (as NumPy does). Throws EvaluationError for a singular matrix.
Matrix4d inverse(const Matrix4d& m);
Matrix4f inverse(const Matrix4f& m);

/// m * (p, 1), sums left to right in double.
template <class T>
Vec3 transform(const std::array<T, 16>& m, const Vec3& p) {
  Vec3 result;
  for (std::size_t row = 0; row < 3; ++row) {
    const T* r = m.data() + 4 * row;
    result[row] = ((r[0] * p[0] + r[1] * p[1]) + r[2] * p[2]) + r[3];
  }
  return result;
}

}  // namespace grasppanda::eval
