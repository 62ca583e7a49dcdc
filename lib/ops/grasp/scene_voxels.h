// The scene of the collision check: a cloud thinned to one point per voxel, and a coarse grid to
// find the points near a gripper.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lib/ops/grasp/cell_numbers.h"

namespace grasppanda::ops {

using Point = std::array<double, 3>;

/// Thins a cloud to the mean of the points of each occupied voxel, summed in input order.
///
/// cloud       xyz per point, `points` of them, metres
/// voxel_size  edge, metres, > 0; the lattice starts half a voxel below the minimum of each axis
///
/// Points with a coordinate that is not finite are left out: a hole in a depth image is no
/// obstacle. Throws ArgumentError when the cloud is so large that a voxel index leaves 32 bits.
std::vector<Point> scene_voxels(const double* cloud, int64_t points, double voxel_size);

/// Finds points by axis-aligned box; what it visits is a superset of the points in the box.
class PointGrid {
 public:
  PointGrid(const std::vector<Point>& points, double cell);

  /// Calls `visit` with every point of each cell that meets the box low .. high.
  template <class Visit>
  void for_each_near(const Point& low, const Point& high, const Visit& visit) const {
    Cell first, last;
    double cells = 1;
    for (int axis = 0; axis < 3; ++axis) {
      first[axis] = clamped_cell(low[axis], axis);
      last[axis] = clamped_cell(high[axis], axis);
      cells *= static_cast<double>(last[axis] - first[axis] + 1);
    }
    // A box over more cells than there are points costs less without the grid.
    if (cells > static_cast<double>(points_.size())) return for_each(visit);
    for (int32_t x = first[0]; x <= last[0]; ++x)
      for (int32_t y = first[1]; y <= last[1]; ++y)
        for (int32_t z = first[2]; z <= last[2]; ++z) {
          const int32_t number = numbers_.find({x, y, z});
          if (number < 0) continue;
          const auto place = static_cast<std::size_t>(number);
          for (int64_t i = begin_[place]; i < begin_[place + 1]; ++i) visit(points_[i]);
        }
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Point& point : points_) visit(point);
  }

 private:
  static constexpr int32_t kMostCells = (1 << 20) - 1;  // along an axis

  int32_t clamped_cell(double coordinate, int axis) const;

  double cell_ = 1;
  Point low_{};
  std::array<int32_t, 3> cells_{1, 1, 1};
  CellNumbers numbers_;
  std::vector<int64_t> begin_;  // of each cell's points, and one beyond the last
  std::vector<Point> points_;   // cell by cell
};

}  // namespace grasppanda::ops
