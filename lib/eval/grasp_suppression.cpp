#include "lib/eval/grasp_suppression.h"

#include <cmath>
#include <cstddef>
#include <numbers>

#include "lib/eval/upstream_order.h"
#include "lib/geometry/grasp.h"

namespace grasppanda::eval {
namespace {

constexpr std::size_t kColumns = geometry::kGraspColumns, kRotation = 4, kTranslation = 13;
constexpr double kNear = 0.03;  // metres
constexpr double kTurned = 30.0 / 180 * std::numbers::pi;

// Is the turn from one rotation to the other below kTurned?
bool is_turned_alike(const double* a, const double* b) {
  double diagonal[3];
  for (int row = 0; row < 3; ++row) {
    const double *u = a + kRotation + 3 * row, *v = b + kRotation + 3 * row;
    diagonal[row] = (u[0] * v[0] + u[1] * v[1]) + u[2] * v[2];
  }
  double trace = (diagonal[0] + diagonal[1]) + diagonal[2];
  // Far from the limit the trace says it, without the arc cosine.
  static const double limit = 1 + 2 * std::cos(kTurned);
  constexpr double kMargin = 1e-9;
  if (trace > limit + kMargin) return true;
  if (trace < limit - kMargin) return false;
  if (trace > 3) trace = 3;
  if (trace < -1) trace = -1;
  return std::acos(0.5 * (trace - 1)) < kTurned;
}

}  // namespace

std::vector<std::int64_t> suppressed_order(std::span<const double> rows) {
  const std::size_t count = rows.size() / kColumns;
  std::vector<double> scores(count);
  for (std::size_t i = 0; i < count; ++i) scores[i] = rows[kColumns * i];
  const std::vector<std::int64_t> order = introsort_descending(scores);
  // Places side by side, in this order.
  std::vector<double> x(count), y(count), z(count);
  for (std::size_t i = 0; i < count; ++i) {
    const double* t = rows.data() + kColumns * order[i] + kTranslation;
    x[i] = t[0];
    y[i] = t[1];
    z[i] = t[2];
  }
  std::vector<unsigned char> removed(count, 0);
  std::vector<std::int64_t> kept;
  for (std::size_t a = 0; a < count; ++a) {
    if (removed[a] != 0) continue;
    kept.push_back(order[a]);
    const double* row_a = rows.data() + kColumns * order[a];
    for (std::size_t b = a + 1; b < count; ++b) {
      const double dx = x[a] - x[b], dy = y[a] - y[b], dz = z[a] - z[b];
      // The square first, with a margin; the square root decides.
      const double squared = (dx * dx + dy * dy) + dz * dz;
      if (squared > kNear * kNear * 1.0001 || removed[b] != 0) continue;
      const double* row_b = rows.data() + kColumns * order[b];
      if (std::sqrt(squared) < kNear && is_turned_alike(row_a, row_b)) removed[b] = 1;
    }
  }
  return kept;
}

}  // namespace grasppanda::eval
