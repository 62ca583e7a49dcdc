#include "lib/geometry/quad_overlap.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace grasppanda::geometry {
namespace {

// Pixels squared. What is smaller is a line that rounding gave a width.
constexpr double kLeastArea = 1e-9;

double cross(const Vec2& origin, const Vec2& a, const Vec2& b) {
  return (a[0] - origin[0]) * (b[1] - origin[1]) - (a[1] - origin[1]) * (b[0] - origin[0]);
}

// Whether the segments a-b and c-d cross in a point that is an end of neither.
bool cross_each_other(const Vec2& a, const Vec2& b, const Vec2& c, const Vec2& d) {
  const double c_side = cross(a, b, c), d_side = cross(a, b, d);
  const double a_side = cross(c, d, a), b_side = cross(c, d, b);
  return ((c_side > 0 && d_side < 0) || (c_side < 0 && d_side > 0)) &&
         ((a_side > 0 && b_side < 0) || (a_side < 0 && b_side > 0));
}

double area_of(const Vec2* corners, int count, const Vec2& origin) {
  double twice = 0;
  for (int i = 0; i < count; ++i) twice += cross(origin, corners[i], corners[(i + 1) % count]);
  return twice / 2;
}

}  // namespace

PreparedQuad::PreparedQuad(const Quad& given) {
  Quad q = given;
  for (const Vec2& corner : q) {
    if (!std::isfinite(corner[0]) || !std::isfinite(corner[1])) return;
  }
  bounds_ = geometry::bounds(q);
  // Sides that cross are the diagonals of the hull, whose order follows from that.
  bool crossing = true;
  if (cross_each_other(q[0], q[1], q[2], q[3])) {
    q = {given[0], given[2], given[1], given[3]};
  } else if (cross_each_other(q[1], q[2], q[3], q[0])) {
    q = {given[1], given[3], given[2], given[0]};
  } else {
    crossing = false;
  }
  double area = area_of(q.data(), 4, q[0]);
  if (area < 0) {
    std::swap(q[1], q[3]);
    area = -area;
  }
  if (!(area > kLeastArea)) return;
  kind_ = crossing ? Kind::crossing : Kind::simple;
  area_ = area;
  for (std::size_t i = 0; i < 4; ++i) {
    // A corner that turns inwards: the diagonal from it cuts the quadrilateral in two.
    const std::size_t next = (i + 1) % 4, across = (i + 2) % 4, before = (i + 3) % 4;
    if (cross(q[before], q[i], q[next]) >= 0) continue;
    pieces_[0] = {{q[i], q[next], q[across], {}}, 3};
    pieces_[1] = {{q[i], q[across], q[before], {}}, 3};
    count_ = 2;
    return;
  }
  pieces_[0] = {q, 4};
  count_ = 1;
}

// `a` cut by one side of `b` after the other.
double PreparedQuad::shared_area(const Piece& a, const Piece& b, const Vec2& origin) {
  std::array<Vec2, 8> now, next;
  int count = a.count;
  std::copy_n(a.corners.begin(), count, now.begin());
  for (int side = 0; side < b.count && count > 2; ++side) {
    const Vec2 &from = b.corners[side], &to = b.corners[(side + 1) % b.count];
    int kept = 0;
    double last_side = cross(from, to, now[count - 1]);
    for (int i = 0; i < count; ++i) {
      const Vec2 &last = now[(i + count - 1) % count], &here = now[i];
      const double here_side = cross(from, to, here);
      if ((here_side < 0) != (last_side < 0)) {
        const double t = last_side / (last_side - here_side);
        next[kept++] = {last[0] + t * (here[0] - last[0]), last[1] + t * (here[1] - last[1])};
      }
      if (here_side >= 0) next[kept++] = here;
      last_side = here_side;
    }
    std::swap(now, next);
    count = kept;
  }
  return count > 2 ? area_of(now.data(), count, origin) : 0;
}

double overlap(const PreparedQuad& a, const PreparedQuad& b) {
  if (a.count_ == 0 || b.count_ == 0) return 0;
  const auto &p = a.bounds_, &q = b.bounds_;
  if (p[2] <= q[0] || q[2] <= p[0] || p[3] <= q[1] || q[3] <= p[1]) return 0;
  const Vec2& origin = a.pieces_[0].corners[0];
  double shared = 0;
  for (int i = 0; i < a.count_; ++i) {
    for (int j = 0; j < b.count_; ++j) {
      shared += PreparedQuad::shared_area(a.pieces_[i], b.pieces_[j], origin);
    }
  }
  shared = std::clamp(shared, 0.0, std::min(a.area_, b.area_));
  return shared / (a.area_ + b.area_ - shared);
}

}  // namespace grasppanda::geometry
