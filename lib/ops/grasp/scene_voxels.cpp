#include "lib/ops/grasp/scene_voxels.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <string>

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {
namespace {

bool is_finite(const double* point) {
  return std::isfinite(point[0]) && std::isfinite(point[1]) && std::isfinite(point[2]);
}

struct VoxelSum {
  Point sum{};
  int64_t count = 0;
};

/// Half a voxel below the smallest coordinates.
Point lattice_origin(const double* cloud, int64_t points, double voxel_size) {
  Point origin;
  origin.fill(std::numeric_limits<double>::infinity());
  for (int64_t i = 0; i < points; ++i)
    if (is_finite(cloud + 3 * i))
      for (int axis = 0; axis < 3; ++axis)
        origin[axis] = std::min(origin[axis], cloud[3 * i + axis]);
  for (double& coordinate : origin) coordinate -= 0.5 * voxel_size;
  return origin;
}

/// The voxel of a finite point; `number` is the point's, for the error.
Cell voxel_of(const double* point, const Point& origin, double voxel_size, int64_t number) {
  Cell cell;
  for (int axis = 0; axis < 3; ++axis) {
    // Not negative: to cut it off is to round it down.
    const double index = (point[axis] - origin[axis]) / voxel_size;
    if (!(index < double{1U << 31}))
      refuse_argument(
          "collision_detection", "cloud",
          "spans more than 2^31 voxels along an axis at point " + std::to_string(number),
          "a larger voxel_size or a cloud in metres");
    cell[axis] = static_cast<int32_t>(index);
  }
  return cell;
}

}  // namespace

std::vector<Point> scene_voxels(const double* cloud, int64_t points, double voxel_size) {
  const Point origin = lattice_origin(cloud, points, voxel_size);
  CellNumbers numbers;
  std::vector<VoxelSum> voxels;
  // Points of a cloud without order lie anywhere in the table: some of them at once, so that the
  // memory of one comes while the others are worked on.
  constexpr int64_t kBatch = 128;
  struct {
    int64_t point;
    uint64_t hash;
    Cell cell;
  } batch[kBatch];
  for (int64_t begin = 0; begin < points; begin += kBatch) {
    int64_t count = 0;
    for (int64_t i = begin; i < std::min(begin + kBatch, points); ++i) {
      if (!is_finite(cloud + 3 * i)) continue;
      const Cell cell = voxel_of(cloud + 3 * i, origin, voxel_size, i);
      batch[count] = {i, CellNumbers::hash_of(cell), cell};
      numbers.prefetch(batch[count++].hash);
    }
    for (int64_t k = 0; k < count; ++k)
      if (const int32_t number = numbers.guess(batch[k].hash); number >= 0)
        __builtin_prefetch(&voxels[static_cast<std::size_t>(number)]);
    for (int64_t k = 0; k < count; ++k) {
      const auto number = static_cast<std::size_t>(numbers.number(batch[k].cell, batch[k].hash));
      if (number == voxels.size()) voxels.emplace_back();
      VoxelSum& voxel = voxels[number];
      const double* point = cloud + 3 * batch[k].point;
      for (int axis = 0; axis < 3; ++axis) voxel.sum[axis] += point[axis];
      ++voxel.count;
    }
  }
  std::vector<Point> means;
  means.reserve(voxels.size());
  for (const VoxelSum& voxel : voxels) {
    const auto count = static_cast<double>(voxel.count);
    means.push_back({voxel.sum[0] / count, voxel.sum[1] / count, voxel.sum[2] / count});
  }
  return means;
}

PointGrid::PointGrid(const std::vector<Point>& points, double cell) : cell_(cell) {
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
  cell_ = std::max(cell_, longest / kMostCells);
  for (int axis = 0; axis < 3; ++axis)
    cells_[axis] = static_cast<int32_t>((high[axis] - low_[axis]) / cell_) + 1;

  std::vector<int32_t> number;
  number.reserve(points.size());
  for (const Point& point : points) {
    const Cell at = {clamped_cell(point[0], 0), clamped_cell(point[1], 1),
                     clamped_cell(point[2], 2)};
    number.push_back(numbers_.number(at, CellNumbers::hash_of(at)));
  }
  begin_.assign(numbers_.size() + 1, 0);
  for (const int32_t n : number) ++begin_[static_cast<std::size_t>(n) + 1];
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  std::vector<int64_t> next(begin_.begin(), begin_.end() - 1);
  points_.resize(points.size());
  for (std::size_t i = 0; i < points.size(); ++i)
    points_[static_cast<std::size_t>(next[static_cast<std::size_t>(number[i])]++)] = points[i];
}

int32_t PointGrid::clamped_cell(double coordinate, int axis) const {
  const double cell = (coordinate - low_[axis]) / cell_;
  return static_cast<int32_t>(std::clamp(cell, 0.0, static_cast<double>(cells_[axis] - 1)));
}

}  // namespace grasppanda::ops
