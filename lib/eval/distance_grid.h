// The signed distance grid of an object, asked at any point: rules of docs/evaluation.md, which are
// those of the public evaluation, roundings to float32 included.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "lib/geometry/camera.h"

namespace grasppanda::eval {

using geometry::Vec3;

class DistanceGrid {
 public:
  /// `values`: x runs fastest, then y, then z; metres, negative inside. Sizes agree.
  DistanceGrid(const std::array<std::int64_t, 3>& nodes, const Vec3& origin, double step,
               std::vector<double> values);

  /// Between the model frame (metres) and grid units. The argument is rounded to float32 first.
  Vec3 to_grid(const Vec3& model) const;
  Vec3 to_model(const Vec3& grid) const;

  /// At a point in grid units: trilinear inside of the grid; outside the distance to the nearest
  /// surface node plus that node's value.
  double value(const Vec3& grid) const;

  /// value(), if its size is below surface_threshold(); cheap far outside of the grid.
  std::optional<double> surface_value(const Vec3& grid) const;

  /// Half the diagonal of a cell face, metres.
  double surface_threshold() const { return threshold_; }
  double step() const { return step_; }

 private:
  bool is_inside(const Vec3& grid) const;
  double interpolate(const Vec3& grid) const;
  double extrapolate(const Vec3& grid) const;
  double distance_to_surface_box(const Vec3& grid) const;  // grid units

  std::array<std::int64_t, 3> nodes_;
  Vec3 origin_, scaled_origin_;  // the second: - origin / step
  double step_, scale_, threshold_;
  std::vector<double> values_;
  std::vector<std::array<std::int32_t, 3>> surface_nodes_;
  std::array<std::int32_t, 3> surface_min_{}, surface_max_{};
};

}  // namespace grasppanda::eval
