#include "lib/eval/singular_vector.h"

#include <array>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

namespace grasppanda::eval {

geometry::Vec3 third_left_singular_vector(std::span<const geometry::Vec3> columns) {
  const std::size_t n = columns.size();
  // Rows of the matrix; rotating pairs of rows until all are orthogonal leaves U transposed in u.
  std::array<std::vector<double>, 3> rows;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    rows[axis].resize(n);
    for (std::size_t i = 0; i < n; ++i) rows[axis][i] = columns[i][axis];
  }
  std::array<geometry::Vec3, 3> u = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const auto dot = [n](const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += a[i] * b[i];
    return sum;
  };
  constexpr std::array<std::pair<int, int>, 3> kPairs = {{{0, 1}, {0, 2}, {1, 2}}};
  constexpr int kSweeps = 30;
  for (int sweep = 0; sweep < kSweeps; ++sweep) {
    bool rotated = false;
    for (const auto& [p, q] : kPairs) {
      const double pp = dot(rows[p], rows[p]), qq = dot(rows[q], rows[q]);
      const double pq = dot(rows[p], rows[q]);
      if (std::abs(pq) <= 1e-16 * std::sqrt(pp * qq) || pq == 0) continue;
      rotated = true;
      const double zeta = (qq - pp) / (2 * pq);
      const double t = (zeta >= 0 ? 1.0 : -1.0) / (std::abs(zeta) + std::sqrt(1 + zeta * zeta));
      const double c = 1 / std::sqrt(1 + t * t), s = c * t;
      const auto turn = [c, s](double& a, double& b) {
        const double before = a;
        a = c * before - s * b;
        b = s * before + c * b;
      };
      for (std::size_t i = 0; i < n; ++i) turn(rows[p][i], rows[q][i]);
      for (std::size_t i = 0; i < 3; ++i) turn(u[p][i], u[q][i]);
    }
    if (!rotated) break;
  }
  std::size_t smallest = 0;
  double least = dot(rows[0], rows[0]);
  for (std::size_t axis = 1; axis < 3; ++axis) {
    const double norm = dot(rows[axis], rows[axis]);
    if (norm <= least) {
      least = norm;
      smallest = axis;
    }
  }
  return u[smallest];
}

}  // namespace grasppanda::eval
