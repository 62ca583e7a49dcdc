// The scene of the collision check: a cloud thinned to one point per voxel, and a coarse grid to
// find the points near a gripper.
#pragma once

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

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
  PointGrid(std::vector<Point> points, double cell);

  /// Calls `visit` with every point of each cell that meets the box low .. high.
  template <class Visit>
  void for_each_near(const Point& low, const Point& high, const Visit& visit) const {
    std::array<int64_t, 3> first, last;
    double cells = 1;
    for (int axis = 0; axis < 3; ++axis) {
      first[axis] = clamped_cell(low[axis], axis);
      last[axis] = clamped_cell(high[axis], axis);
      cells *= static_cast<double>(last[axis] - first[axis] + 1);
    }
    // A box over more cells than there are points costs less without the grid.
    if (cells > static_cast<double>(points_.size())) return for_each(visit);
    for (int64_t x = first[0]; x <= last[0]; ++x)
      for (int64_t y = first[1]; y <= last[1]; ++y)
        for (int64_t z = first[2]; z <= last[2]; ++z) {
          const auto found = ranges_.find(key({x, y, z}));
          if (found == ranges_.end()) continue;
          for (int64_t i = found->second.first; i < found->second.second; ++i) visit(points_[i]);
        }
  }
  template <class Visit>
  void for_each(const Visit& visit) const {
    for (const Point& point : points_) visit(point);
  }

 private:
  int64_t clamped_cell(double coordinate, int axis) const;
  static uint64_t key(const std::array<int64_t, 3>& cell);

  double cell_ = 1;
  Point low_{};
  std::array<int64_t, 3> cells_{1, 1, 1};
  std::vector<Point> points_;  // sorted by cell
  std::unordered_map<uint64_t, std::pair<int64_t, int64_t>> ranges_;
};

}  // namespace grasppanda::ops
