#include "lib/render/fitted_view.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "lib/render/cloud_color.h"
#include "lib/render/gripper_shape.h"

namespace grasppanda::render {
namespace {

using geometry::Vec3;

constexpr double kOutlying = 0.002;  // on each side, not looked at when a view is fitted
constexpr double kBeside = 0.1;      // metres that grippers may widen the view on each side

double dot(const Vec3& a, const Vec3& b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Vec3 sum(double s, const Vec3& a, double t, const Vec3& b) {
  return {s * a[0] + t * b[0], s * a[1] + t * b[1], s * a[2] + t * b[2]};
}
Vec3 unit(const Vec3& a) {
  return sum(1 / std::sqrt(dot(a, a)), a, 0, a);
}

// Right, down and forward of the view from above.
std::array<Vec3, 3> axes_from_above(const Vec3& up) {
  const Vec3 x = std::abs(up[0]) < 0.99 ? Vec3{1, 0, 0} : Vec3{0, 1, 0};
  const Vec3 right = unit(sum(1, x, -dot(x, up), up));
  return {right, cross(right, up), sum(-1, up, 0, up)};
}

// A part of a large cloud is enough to fit a view.
std::vector<Vec3> some_points(std::span<const double> xyz) {
  const std::size_t points = xyz.size() / 3, stride = 1 + points / 100000;
  std::vector<Vec3> out;
  for (std::size_t i = 0; i < points; i += stride) {
    const Vec3 p = {xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]};
    if (std::isfinite(p[0] + p[1] + p[2])) out.push_back(p);
  }
  return out;
}

std::vector<Vec3> gripper_points(std::span<const geometry::Grasp> grasps) {
  std::vector<Vec3> out;
  for (const auto& grasp : grasps) {
    const GripperLines lines = gripper_lines(grasp);
    out.insert(out.end(), lines.fingers.begin(), lines.fingers.end());
    out.push_back(lines.handle[0]);
  }
  return out;
}

struct Interval {
  double low = 0, high = 0;
  double middle() const { return (low + high) / 2; }
};

// Extent of the cloud, outlying points aside; or of the grippers where there is no cloud. Grippers
// widen the cloud's extent up to `beside`.
Interval extent(const std::vector<double>& cloud, const std::vector<double>& grippers,
                double beside) {
  const bool bare = cloud.empty();
  const auto [low, high] =
      bare ? quantiles(grippers, 0, 1) : quantiles(cloud, kOutlying, 1 - kOutlying);
  Interval out{low, high};
  if (!bare)
    for (const double value : grippers) {
      out.low = std::min(out.low, std::max(value, low - beside));
      out.high = std::max(out.high, std::min(value, high + beside));
    }
  return out;
}

// Sets eye and scale so that the scene fills the area. `away`: distance of the eye from the middle
// in radii of the scene; 0 for orthographic views.
void fit(View& view, double away, std::span<const double> xyz,
         std::span<const geometry::Grasp> grasps, const Area& area) {
  const std::vector<Vec3> cloud = some_points(xyz), grippers = gripper_points(grasps);
  const auto along = [&](const std::vector<Vec3>& points, const auto& value) {
    std::vector<double> out;
    out.reserve(points.size());
    for (const Vec3& p : points) out.push_back(value(p));
    return out;
  };
  Vec3 middle{};
  double sq_radius = 0;
  for (const Vec3& axis : view.axes) {
    const auto value = [&](const Vec3& p) { return dot(axis, p); };
    const Interval range = extent(along(cloud, value), along(grippers, value), kBeside);
    middle = sum(1, middle, range.middle(), axis);
    sq_radius += (range.high - range.low) * (range.high - range.low) / 4;
  }
  const double radius = std::max(std::sqrt(sq_radius), 1e-3);
  view.eye = sum(1, middle, -away * radius, view.axes[2]);

  const auto project = [&](std::size_t axis) {
    return [&view, axis](const Vec3& p) {
      const Vec3 q = view.to_view(p);
      return view.perspective ? q[axis] / std::max(q[2], kNear) : q[axis];
    };
  };
  const double beside = view.perspective ? kBeside / (away * radius) : kBeside;
  const Interval x = extent(along(cloud, project(0)), along(grippers, project(0)), beside);
  const Interval y = extent(along(cloud, project(1)), along(grippers, project(1)), beside);
  const double least = 1e-3 / (view.perspective ? away * radius : 1.0);
  const double scale = 0.92 * std::min(area.width / std::max(x.high - x.low, least),
                                       area.height / std::max(y.high - y.low, least));
  view.intrinsics = {scale, scale, area.left + area.width / 2 - scale * x.middle(),
                     area.top + area.height / 2 - scale * y.middle()};
}

}  // namespace

Vec3 unit_up(const Vec3& up) {
  const double length = std::sqrt(dot(up, up));
  if (!(length > 0 && std::isfinite(length))) return {0, 0, -1};
  return {up[0] / length, up[1] / length, up[2] / length};
}

View view_from_above(std::span<const double> xyz, std::span<const geometry::Grasp> grasps,
                     const Vec3& up, const Area& area) {
  View view;
  view.perspective = false;
  view.axes = axes_from_above(up);
  fit(view, 0, xyz, grasps, area);
  return view;
}

View view_three_quarter(std::span<const double> xyz, std::span<const geometry::Grasp> grasps,
                        const Vec3& up, const Area& area) {
  constexpr double kElevation = 35 * std::numbers::pi / 180, kTurn = 30 * std::numbers::pi / 180;
  const auto [right, down, forward] = axes_from_above(up);
  View view;
  // The eye stands at the lower edge, turned to the right: it looks up and to the left.
  const Vec3 ahead = sum(-std::cos(kTurn), down, -std::sin(kTurn), right);
  view.axes[0] = sum(std::cos(kTurn), right, -std::sin(kTurn), down);
  view.axes[2] = sum(std::cos(kElevation), ahead, std::sin(kElevation), forward);
  view.axes[1] = cross(view.axes[2], view.axes[0]);
  fit(view, 4, xyz, grasps, area);
  return view;
}

}  // namespace grasppanda::render
