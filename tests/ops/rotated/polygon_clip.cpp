#include "tests/ops/rotated/polygon_clip.h"

#include <cmath>
#include <vector>

#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

using Real = long double;
struct Point {
  Real x, y;
};
using Polygon = std::vector<Point>;

// Corners relative to a point near the boxes, so that large coordinates cost nothing.
Polygon corners(const double* box, Real x, Real y) {
  const Real c = std::cos(static_cast<Real>(box[4])), s = std::sin(static_cast<Real>(box[4]));
  Polygon polygon;
  for (const auto& [u, v] : {Point{-1, -1}, Point{1, -1}, Point{1, 1}, Point{-1, 1}}) {
    const Real px = u * box[2] / 2, py = v * box[3] / 2;
    polygon.push_back({(box[0] - x) + px * c - py * s, (box[1] - y) + px * s + py * c});
  }
  return polygon;
}

Real area(const Polygon& polygon) {
  Real twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    twice += p.x * q.y - p.y * q.x;
  }
  return twice / 2;
}

Polygon clip(const Polygon& polygon, const Point& from, const Point& to) {
  const auto side = [&](const Point& p) {
    return (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x);
  };
  Polygon kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point &p = polygon[i], &q = polygon[(i + 1) % polygon.size()];
    const Real at_p = side(p), at_q = side(q);
    if (at_p >= 0) kept.push_back(p);
    if ((at_p >= 0) != (at_q >= 0)) {
      const Real t = at_p / (at_p - at_q);
      kept.push_back({p.x + t * (q.x - p.x), p.y + t * (q.y - p.y)});
    }
  }
  return kept;
}

}  // namespace

double clipped_iou(const at::Tensor& a, const at::Tensor& b) {
  const double *box_a = a.const_data_ptr<double>(), *box_b = b.const_data_ptr<double>();
  Polygon shared = corners(box_a, box_b[0], box_b[1]);
  const Polygon other = corners(box_b, box_b[0], box_b[1]);
  const Real area_a = area(shared), area_b = area(other);
  for (std::size_t i = 0; i < 4 && !shared.empty(); ++i)
    shared = clip(shared, other[i], other[(i + 1) % 4]);
  const Real both = area(shared);
  return static_cast<double>(both / (area_a + area_b - both));
}

}  // namespace grasppanda::tests
