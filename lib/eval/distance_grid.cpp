#include "lib/eval/distance_grid.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "lib/geometry/float32_rounding.h"

namespace grasppanda::eval {
namespace {

double distance(const Vec3& a, const Vec3& b) {
  const double x = a[0] - b[0], y = a[1] - b[1], z = a[2] - b[2];
  return std::sqrt((x * x + y * y) + z * z);
}

}  // namespace

DistanceGrid::DistanceGrid(const std::array<std::int64_t, 3>& nodes, const Vec3& origin,
                           double step, std::vector<double> values)
    : nodes_(nodes),
      origin_(origin),
      step_(step),
      scale_(1.0 / step),
      threshold_(step * std::sqrt(2.0) / 2.0),
      values_(std::move(values)) {
  for (std::size_t axis = 0; axis < 3; ++axis) scaled_origin_[axis] = -scale_ * origin_[axis];
  surface_min_.fill(std::numeric_limits<std::int32_t>::max());
  surface_max_.fill(std::numeric_limits<std::int32_t>::min());
  for (std::int64_t z = 0, i = 0; z < nodes_[2]; ++z) {
    for (std::int64_t y = 0; y < nodes_[1]; ++y) {
      for (std::int64_t x = 0; x < nodes_[0]; ++x, ++i) {
        if (!(std::abs(values_[i]) < threshold_)) continue;
        const std::array<std::int32_t, 3> node = {static_cast<std::int32_t>(x),
                                                  static_cast<std::int32_t>(y),
                                                  static_cast<std::int32_t>(z)};
        surface_nodes_.push_back(node);
        for (std::size_t axis = 0; axis < 3; ++axis) {
          surface_min_[axis] = std::min(surface_min_[axis], node[axis]);
          surface_max_[axis] = std::max(surface_max_[axis], node[axis]);
        }
      }
    }
  }
}

Vec3 DistanceGrid::to_grid(const Vec3& model) const {
  Vec3 grid;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid[axis] = scale_ * geometry::round_to_float32(model[axis]) + scaled_origin_[axis];
  }
  return grid;
}

Vec3 DistanceGrid::to_model(const Vec3& grid) const {
  Vec3 model;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    model[axis] = step_ * geometry::round_to_float32(grid[axis]) + origin_[axis];
  }
  return model;
}

bool DistanceGrid::is_inside(const Vec3& grid) const {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    if (!(grid[axis] >= 0 && grid[axis] < static_cast<double>(nodes_[axis]))) return false;
  }
  return true;
}

double DistanceGrid::value(const Vec3& grid) const {
  return is_inside(grid) ? interpolate(grid) : extrapolate(grid);
}

std::optional<double> DistanceGrid::surface_value(const Vec3& grid) const {
  if (!is_inside(grid)) {
    // The value is at least the way to the nearest surface node less the threshold; the hair more
    // than twice the threshold covers every rounding.
    if (surface_nodes_.empty() || distance_to_surface_box(grid) * step_ > 2.001 * threshold_) {
      return {};
    }
  }
  const double found = value(grid);
  return std::abs(found) < threshold_ ? std::optional(found) : std::nullopt;
}

double DistanceGrid::interpolate(const Vec3& grid) const {
  std::array<std::int64_t, 3> low;
  std::array<std::array<double, 2>, 3> weight;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const double at = std::min(grid[axis], static_cast<double>(nodes_[axis] - 1));
    const double floor = std::floor(at);
    low[axis] = static_cast<std::int64_t>(floor);
    weight[axis] = {1.0 - std::abs(floor - at), 1.0 - std::abs((floor + 1) - at)};
  }
  // A neighbour beyond the last node has weight 0 and counts as 0.
  const std::array<std::int64_t, 3> stride = {1, nodes_[0], nodes_[0] * nodes_[1]};
  std::int64_t base = 0;
  std::array<std::int64_t, 3> next;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    base += low[axis] * stride[axis];
    next[axis] = low[axis] + 1 < nodes_[axis] ? stride[axis] : 0;
  }
  const auto corner = [&](int x, int y, int z) {
    const double w = (weight[0][x] * weight[1][y]) * weight[2][z];
    return w * values_[base + x * next[0] + y * next[1] + z * next[2]];
  };
  double sum = corner(0, 0, 0);
  sum += corner(1, 0, 0);
  sum += corner(0, 1, 0);
  sum += corner(0, 0, 1);
  sum += corner(1, 1, 0);
  sum += corner(0, 1, 1);
  sum += corner(1, 0, 1);
  sum += corner(1, 1, 1);
  return sum;
}

double DistanceGrid::extrapolate(const Vec3& grid) const {
  double nearest = std::numeric_limits<double>::infinity();
  const std::array<std::int32_t, 3>* best = nullptr;
  for (const std::array<std::int32_t, 3>& node : surface_nodes_) {
    const double x = node[0] - grid[0], y = node[1] - grid[1], z = node[2] - grid[2];
    const double squared = (x * x + y * y) + z * z;
    if (squared < nearest) {
      nearest = squared;
      best = &node;
    }
  }
  if (best == nullptr) return std::numeric_limits<double>::infinity();
  const auto& [x, y, z] = *best;
  const Vec3 node = {static_cast<double>(x), static_cast<double>(y), static_cast<double>(z)};
  return distance(to_model(node), to_model(grid)) + values_[x + nodes_[0] * (y + nodes_[1] * z)];
}

double DistanceGrid::distance_to_surface_box(const Vec3& grid) const {
  Vec3 nearest;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    nearest[axis] = std::clamp(grid[axis], static_cast<double>(surface_min_[axis]),
                               static_cast<double>(surface_max_[axis]));
  }
  return distance(grid, nearest);
}

}  // namespace grasppanda::eval
