#include "lib/geometry/rotated_box.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace grasppanda::geometry {
namespace {

constexpr double kPi = std::numbers::pi, kHalfPi = std::numbers::pi / 2;
constexpr double kLeastArea = 1e-9;

constexpr std::array<std::pair<std::string_view, AngleConvention>, 3> kNames = {
    {{"oc", AngleConvention::oc},
     {"le90", AngleConvention::le90},
     {"le135", AngleConvention::le135}}};

// With the sign of the divisor, which is positive.
double floored_modulo(double value, double divisor) {
  const double rest = std::fmod(value, divisor);
  return rest < 0 ? rest + divisor : rest;
}

double start_of(AngleConvention convention) {
  return convention == AngleConvention::le135 ? -kPi / 4 : -kHalfPi;
}

Vec2 difference(const Vec2& a, const Vec2& b) {
  return {a[0] - b[0], a[1] - b[1]};
}
double length(const Vec2& v) {
  return std::hypot(v[0], v[1]);
}
double cross(const Vec2& a, const Vec2& b) {
  return a[0] * b[1] - a[1] * b[0];
}

void demand_finite(std::span<const Vec2> points) {
  for (const Vec2& point : points)
    if (!std::isfinite(point[0]) || !std::isfinite(point[1]))
      throw std::invalid_argument("a polygon has a corner that is not a finite number");
}

// Counter to the clock of a y-up picture, without points on the sides (Andrew's monotone chain).
std::vector<Vec2> convex_hull(std::span<const Vec2> points) {
  std::vector<Vec2> sorted(points.begin(), points.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<Vec2> hull;
  for (int pass = 0; pass < 2; ++pass) {
    const std::size_t begin = hull.size();
    for (const Vec2& point : sorted) {
      while (hull.size() >= begin + 2 && cross(difference(hull.back(), hull[hull.size() - 2]),
                                               difference(point, hull.back())) <= 0)
        hull.pop_back();
      hull.push_back(point);
    }
    hull.pop_back();  // the first of the next pass
    std::reverse(sorted.begin(), sorted.end());
  }
  return hull;
}

// The smallest box with a side along `direction`, of length 1.
RotatedBox box_along(std::span<const Vec2> points, const Vec2& direction) {
  const double inf = std::numeric_limits<double>::infinity();
  Vec2 low{inf, inf}, high{-inf, -inf};
  for (const Vec2& p : points) {
    const Vec2 local = {p[0] * direction[0] + p[1] * direction[1],
                        p[1] * direction[0] - p[0] * direction[1]};
    for (int axis = 0; axis < 2; ++axis) {
      low[axis] = std::min(low[axis], local[axis]);
      high[axis] = std::max(high[axis], local[axis]);
    }
  }
  const Vec2 centre = {(low[0] + high[0]) / 2, (low[1] + high[1]) / 2};
  return {centre[0] * direction[0] - centre[1] * direction[1],
          centre[0] * direction[1] + centre[1] * direction[0], high[0] - low[0], high[1] - low[1],
          std::atan2(direction[1], direction[0])};
}

/// Relative: areas that differ by less are the same but for rounding in float32.
constexpr double kEqualAreas = 1e-6;

/// Which side of a hull the annotations of mmrotate take where several give the least area, as all
/// sides of a triangle do: the lesser area in float32, from the differences of the outermost
/// corners; of equal ones the side that is turned further. Measured on its stored boxes.
std::pair<float, double> order_of_equals(const std::vector<Vec2>& hull, std::size_t side) {
  const auto x = [&](std::size_t i) { return static_cast<float>(hull[i % hull.size()][0]); };
  const auto y = [&](std::size_t i) { return static_cast<float>(hull[i % hull.size()][1]); };
  const float dx = x(side + 1) - x(side), dy = y(side + 1) - y(side);
  const float shrink = 1 / std::sqrt(dx * dx + dy * dy), ux = dx * shrink, uy = dy * shrink;
  const auto extent = [&](float ax, float ay) {
    const auto place = [&](std::size_t i) { return x(i) * ax + y(i) * ay; };
    std::size_t low = 0, high = 0;
    for (std::size_t i = 1; i < hull.size(); ++i) {
      if (place(i) < place(low)) low = i;
      if (place(i) > place(high)) high = i;
    }
    return (x(high) - x(low)) * ax + (y(high) - y(low)) * ay;
  };
  const double turned = std::fmod(std::atan2(dy, dx) + 2 * kPi, kHalfPi);
  return {extent(ux, uy) * extent(-uy, ux), -turned};
}

}  // namespace

std::string_view angle_convention_name(AngleConvention convention) {
  return kNames[static_cast<std::size_t>(convention)].first;
}

std::optional<AngleConvention> parse_angle_convention(std::string_view name) {
  for (const auto& [known, convention] : kNames)
    if (known == name) return convention;
  return std::nullopt;
}

double wrapped_angle(double angle, AngleConvention convention) {
  if (convention == AngleConvention::oc) return angle;
  const double start = start_of(convention);
  return floored_modulo(angle - start, kPi) + start;
}

RotatedBox in_convention(const RotatedBox& box, AngleConvention convention) {
  RotatedBox written = box;
  if (convention == AngleConvention::oc) {
    const double quarters = std::ceil(box.angle / kHalfPi) - 1;
    written.angle = box.angle - quarters * kHalfPi;
    if (floored_modulo(quarters, 2) == 1) std::swap(written.w, written.h);
    return written;
  }
  const double start = start_of(convention);
  written.angle -= std::floor((written.angle - start) / kPi) * kPi;
  if (written.w < written.h) {
    std::swap(written.w, written.h);
    written.angle = std::fmod(written.angle + kHalfPi - start, kPi) + start;
  }
  return written;
}

Quad corners(const RotatedBox& box) {
  const double c = std::cos(box.angle), s = std::sin(box.angle);
  constexpr std::array<Vec2, 4> kSigns = {{{-1, -1}, {1, -1}, {1, 1}, {-1, 1}}};
  Quad quad;
  for (std::size_t i = 0; i < 4; ++i) {
    const double x = kSigns[i][0] * box.w / 2, y = kSigns[i][1] * box.h / 2;
    quad[i] = {box.cx + (x * c - y * s), box.cy + (x * s + y * c)};
  }
  return quad;
}

double signed_area(std::span<const Vec2> polygon) {
  double twice = 0;
  for (std::size_t i = 0; i < polygon.size(); ++i)
    twice += cross(polygon[i], polygon[(i + 1) % polygon.size()]);
  return twice / 2;
}

std::array<double, 4> bounds(std::span<const Vec2> points) {
  const double inf = std::numeric_limits<double>::infinity();
  std::array<double, 4> box = {inf, inf, -inf, -inf};
  for (const Vec2& point : points)
    box = {std::min(box[0], point[0]), std::min(box[1], point[1]), std::max(box[2], point[0]),
           std::max(box[3], point[1])};
  return box;
}

RotatedBox box_of_rectangle(const Quad& p, AngleConvention convention) {
  const double e1 = length(difference(p[1], p[0])), e2 = length(difference(p[2], p[1]));
  if (convention == AngleConvention::oc) {
    const double turn = std::atan2(-(p[1][0] - p[0][0]), p[1][1] - p[0][1]);
    const bool even = floored_modulo(std::floor(turn / kHalfPi), 2) == 0;
    return {(p[0][0] + p[1][0] + p[2][0] + p[3][0]) / 4,
            (p[0][1] + p[1][1] + p[2][1] + p[3][1]) / 4, even ? e2 : e1, even ? e1 : e2,
            floored_modulo(turn, kHalfPi)};
  }
  const Vec2 along = e1 > e2 ? difference(p[1], p[0]) : difference(p[3], p[0]);
  return {(p[0][0] + p[2][0]) / 2, (p[0][1] + p[2][1]) / 2, std::max(e1, e2), std::min(e1, e2),
          wrapped_angle(std::atan2(along[1], along[0]), convention)};
}

RotatedBox box_of_quad(const Quad& quad) {
  demand_finite(quad);
  for (std::size_t i = 0; i < 4; ++i)
    if (quad[i] == quad[(i + 1) % 4])
      throw std::invalid_argument("a quadrilateral has two equal corners in a row");
  const double area = signed_area(quad);
  if (std::abs(area) <= kLeastArea) throw std::invalid_argument("a quadrilateral has no area");
  Quad p = quad;
  if (area < 0) std::reverse(p.begin(), p.end());
  const auto first = std::min_element(p.begin(), p.end(), [](const Vec2& a, const Vec2& b) {
    return std::pair(a[1], a[0]) < std::pair(b[1], b[0]);
  });
  std::rotate(p.begin(), first, p.end());
  const auto side = [&](std::size_t i) { return length(difference(p[(i + 1) % 4], p[i])); };
  return {(p[0][0] + p[1][0] + p[2][0] + p[3][0]) / 4, (p[0][1] + p[1][1] + p[2][1] + p[3][1]) / 4,
          (side(0) + side(2)) / 2, (side(1) + side(3)) / 2,
          std::atan2(p[1][1] - p[0][1], p[1][0] - p[0][0])};
}

RotatedBox least_rectangle(std::span<const Vec2> points, AngleConvention convention) {
  demand_finite(points);
  const std::vector<Vec2> hull = points.size() < 3 ? std::vector<Vec2>{} : convex_hull(points);
  if (hull.size() < 3) throw std::invalid_argument("the points span no area");
  std::vector<RotatedBox> along;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    const Vec2 side = difference(hull[(i + 1) % hull.size()], hull[i]);
    along.push_back(box_along(hull, {side[0] / length(side), side[1] / length(side)}));
  }
  const auto area = [](const RotatedBox& box) { return box.w * box.h; };
  const double least = area(*std::min_element(
      along.begin(), along.end(), [&](const auto& a, const auto& b) { return area(a) < area(b); }));
  std::size_t best = hull.size();
  std::pair<float, double> best_order;
  for (std::size_t i = 0; i < hull.size(); ++i) {
    if (!(area(along[i]) <= least * (1 + kEqualAreas))) continue;
    const std::pair<float, double> order = order_of_equals(hull, i);
    if (best < hull.size() && !(order < best_order)) continue;
    best = i;
    best_order = order;
  }
  return in_convention(along[best], convention);
}

Quad from_upper_left(const Quad& quad) {
  const auto [x1, y1, x2, y2] = bounds(quad);
  const Quad around = {{{x1, y1}, {x2, y1}, {x2, y2}, {x1, y2}}};
  Quad best = quad, shifted = quad;
  double least = std::numeric_limits<double>::infinity();
  for (int shift = 0; shift < 4; ++shift) {
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) sum += length(difference(shifted[i], around[i]));
    if (sum < least) {
      least = sum;
      best = shifted;
    }
    std::rotate(shifted.begin(), shifted.begin() + 1, shifted.end());
  }
  return best;
}

}  // namespace grasppanda::geometry
