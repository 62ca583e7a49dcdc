#include "lib/ops/grasp/scene_voxels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>
#include <utility>

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {
namespace {

using Cell = std::array<int32_t, 3>;

struct CellHash {
  std::size_t operator()(const Cell& cell) const {
    uint64_t hash = 0;
    for (const int32_t index : cell) {
      hash = (hash ^ static_cast<uint32_t>(index)) * 0x9e3779b97f4a7c15u;
      hash ^= hash >> 32;
    }
    return hash;
  }
};

bool is_finite(const double* point) {
  return std::isfinite(point[0]) && std::isfinite(point[1]) && std::isfinite(point[2]);
}

struct VoxelSum {
  Point sum{};
  int64_t count = 0;
};

}  // namespace

std::vector<Point> scene_voxels(const double* cloud, int64_t points, double voxel_size) {
  Point origin;
  origin.fill(std::numeric_limits<double>::infinity());
  for (int64_t i = 0; i < points; ++i)
    if (is_finite(cloud + 3 * i))
      for (int axis = 0; axis < 3; ++axis)
        origin[axis] = std::min(origin[axis], cloud[3 * i + axis]);
  for (double& coordinate : origin) coordinate -= 0.5 * voxel_size;

  std::unordered_map<Cell, int64_t, CellHash> number;
  std::vector<VoxelSum> voxels;
  Cell last{};
  int64_t current = 0;
  for (int64_t i = 0; i < points; ++i) {
    const double* point = cloud + 3 * i;
    if (!is_finite(point)) continue;
    Cell cell;
    for (int axis = 0; axis < 3; ++axis) {
      const double index = std::floor((point[axis] - origin[axis]) / voxel_size);
      if (!(index <= std::numeric_limits<int32_t>::max()))
        refuse_argument("collision_detection", "cloud",
                        "spans more than 2^31 voxels along an axis at point " + std::to_string(i),
                        "a larger voxel_size or a cloud in metres");
      cell[axis] = static_cast<int32_t>(index);
    }
    // Neighbours in a picture mostly share a voxel: no need to look it up again.
    if (voxels.empty() || cell != last) {
      const auto [place, is_new] = number.try_emplace(cell, static_cast<int64_t>(voxels.size()));
      if (is_new) voxels.emplace_back();
      last = cell;
      current = place->second;
    }
    VoxelSum& voxel = voxels[static_cast<std::size_t>(current)];
    for (int axis = 0; axis < 3; ++axis) voxel.sum[axis] += point[axis];
    ++voxel.count;
  }
  std::vector<Point> means;
  means.reserve(voxels.size());
  for (const VoxelSum& voxel : voxels) {
    const auto count = static_cast<double>(voxel.count);
    means.push_back({voxel.sum[0] / count, voxel.sum[1] / count, voxel.sum[2] / count});
  }
  return means;
}

PointGrid::PointGrid(std::vector<Point> points, double cell) : cell_(cell) {
  if (points.empty()) return;
  Point high = points.front();
  low_ = points.front();
  for (const Point& point : points)
    for (int axis = 0; axis < 3; ++axis) {
      low_[axis] = std::min(low_[axis], point[axis]);
      high[axis] = std::max(high[axis], point[axis]);
    }
  double longest = 0;
  for (int axis = 0; axis < 3; ++axis) longest = std::max(longest, high[axis] - low_[axis]);
  cell_ = std::max(cell_, longest / ((1 << 20) - 1));  // a key has 21 bits per axis
  for (int axis = 0; axis < 3; ++axis)
    cells_[axis] = static_cast<int64_t>(std::floor((high[axis] - low_[axis]) / cell_)) + 1;

  std::vector<std::pair<uint64_t, int64_t>> keyed;
  keyed.reserve(points.size());
  for (const Point& point : points)
    keyed.emplace_back(
        key({clamped_cell(point[0], 0), clamped_cell(point[1], 1), clamped_cell(point[2], 2)}),
        static_cast<int64_t>(keyed.size()));
  std::sort(keyed.begin(), keyed.end());
  points_.reserve(points.size());
  for (const auto& [cell_key, index] : keyed) {
    const auto place = static_cast<int64_t>(points_.size());
    const auto [range, is_new] = ranges_.try_emplace(cell_key, place, place);
    points_.push_back(points[index]);
    range->second.second = place + 1;
  }
}

int64_t PointGrid::clamped_cell(double coordinate, int axis) const {
  const double cell = std::floor((coordinate - low_[axis]) / cell_);
  return static_cast<int64_t>(std::clamp(cell, 0.0, static_cast<double>(cells_[axis] - 1)));
}

uint64_t PointGrid::key(const std::array<int64_t, 3>& cell) {
  return static_cast<uint64_t>(cell[0]) << 42 | static_cast<uint64_t>(cell[1]) << 21 |
         static_cast<uint64_t>(cell[2]);
}

}  // namespace grasppanda::ops
