#include "lib/eval/scene_cloud.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>

namespace grasppanda::eval {
namespace {

constexpr double kVoxel = 0.008;   // metres
constexpr double kOutlier = 0.05;  // metres around an object

std::array<double, 125> table_line() {
  std::array<double, 125> line;
  const double step = 1.0 / (line.size() - 1);
  for (std::size_t i = 0; i < line.size(); ++i) line[i] = static_cast<double>(i) * step - 0.5;
  line.back() = 1.0 - 0.5;
  return line;
}

// All points moved by `m`, behind the others.
template <class T>
void append_moved(const PointSet& points, const std::array<T, 16>& m, PointSet& result) {
  const std::size_t start = result.size(), count = points.size();
  std::array<double, 16> d;
  std::copy(m.begin(), m.end(), d.begin());
  const std::array<std::vector<double>*, 3> outs = {&result.x, &result.y, &result.z};
  for (std::size_t row = 0; row < 3; ++row) {
    outs[row]->resize(start + count);
    double* out = outs[row]->data() + start;
    const double a = d[4 * row], b = d[4 * row + 1], c = d[4 * row + 2], t = d[4 * row + 3];
    for (std::size_t i = 0; i < count; ++i) {
      out[i] = ((a * points.x[i] + b * points.y[i]) + c * points.z[i]) + t;
    }
  }
}

}  // namespace

PointSet voxel_means(std::span<const double> vertices) {
  Vec3 corner;
  corner.fill(std::numeric_limits<double>::infinity());
  for (std::size_t i = 0; i < vertices.size(); ++i) {
    corner[i % 3] = std::min(corner[i % 3], vertices[i]);
  }
  for (double& c : corner) c -= kVoxel * 0.5;
  struct Sum {
    Vec3 sum{0, 0, 0};
    double count = 0;
  };
  std::map<std::array<std::int64_t, 3>, Sum> cells;
  for (std::size_t i = 0; i + 2 < vertices.size(); i += 3) {
    std::array<std::int64_t, 3> cell;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      cell[axis] =
          static_cast<std::int64_t>(std::floor((vertices[i + axis] - corner[axis]) / kVoxel));
    }
    Sum& sum = cells[cell];
    for (std::size_t axis = 0; axis < 3; ++axis) sum.sum[axis] += vertices[i + axis];
    sum.count += 1;
  }
  PointSet means;
  means.reserve(cells.size());
  for (const auto& [cell, sum] : cells) {
    means.push_back({sum.sum[0] / sum.count, sum.sum[1] / sum.count, sum.sum[2] / sum.count});
  }
  return means;
}

const PointSet& table_points() {
  static const PointSet points = [] {
    PointSet made;
    const std::array<double, 125> line = table_line();
    constexpr int kLayers = 6;
    made.reserve(line.size() * line.size() * kLayers);
    for (const double x : line) {
      for (const double y : line) {
        for (int layer = 0; layer < kLayers; ++layer) {
          const double z = layer == kLayers - 1 ? 0.05 : layer * (0.05 / (kLayers - 1));
          made.push_back({x, y, z - 0.05});
        }
      }
    }
    return made;
  }();
  return points;
}

SceneCloud make_scene_cloud(std::span<const PointSet* const> models,
                            std::span<const Matrix4f> camera_from_object,
                            const Matrix4d& camera_from_table) {
  SceneCloud scene;
  std::size_t count = table_points().size();
  for (const PointSet* model : models) count += model->size();
  scene.points.reserve(count);
  for (std::size_t i = 0; i < models.size(); ++i) {
    scene.starts.push_back(scene.points.size());
    append_moved(*models[i], camera_from_object[i], scene.points);
  }
  scene.starts.push_back(scene.points.size());
  append_moved(table_points(), camera_from_table, scene.points);
  return scene;
}

std::size_t nearest_object(const SceneCloud& scene, const Vec3& place) {
  const PointSet& points = scene.points;
  const std::size_t count = scene.starts.back();
  const auto squared_distance = [&](std::size_t i) {
    const double x = points.x[i] - place[0], y = points.y[i] - place[1], z = points.z[i] - place[2];
    return (x * x + y * y) + z * z;
  };
  // The least of a block first, which the compiler makes vectors of; then the place in the block.
  constexpr std::size_t kBlock = 256;
  double nearest = std::numeric_limits<double>::infinity();
  std::size_t block_of_nearest = 0;
  std::array<double, kBlock> squared;
  for (std::size_t start = 0; start < count; start += kBlock) {
    const std::size_t length = std::min(kBlock, count - start);
    for (std::size_t i = 0; i < length; ++i) squared[i] = squared_distance(start + i);
    double least = squared[0];
    for (std::size_t i = 1; i < length; ++i) least = squared[i] < least ? squared[i] : least;
    if (least < nearest) {
      nearest = least;
      block_of_nearest = start;
    }
  }
  std::size_t index = block_of_nearest;
  while (index < count && squared_distance(index) != nearest) ++index;
  const auto behind = std::upper_bound(scene.starts.begin(), scene.starts.end(), index);
  return static_cast<std::size_t>(behind - scene.starts.begin()) - 1;
}

PointSet surroundings(const SceneCloud& scene, std::size_t object) {
  const PointSet& points = scene.points;
  const std::size_t first = scene.starts[object], last = scene.starts[object + 1];
  Vec3 low, high;
  const std::array<const std::vector<double>*, 3> axes = {&points.x, &points.y, &points.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [least, most] =
        std::minmax_element(axes[axis]->begin() + first, axes[axis]->begin() + last);
    low[axis] = *least - kOutlier;
    high[axis] = *most + kOutlier;
  }
  PointSet inside;
  // Whether each point of a block is inside, without a branch; then the few that are.
  constexpr std::size_t kBlock = 1024;
  std::array<unsigned char, kBlock> keep;
  for (std::size_t start = 0; start < points.size(); start += kBlock) {
    const std::size_t length = std::min(kBlock, points.size() - start);
    const double *x = points.x.data() + start, *y = points.y.data() + start,
                 *z = points.z.data() + start;
    for (std::size_t i = 0; i < length; ++i) {
      keep[i] = static_cast<unsigned char>((x[i] > low[0]) & (x[i] < high[0]) & (y[i] > low[1]) &
                                           (y[i] < high[1]) & (z[i] > low[2]) & (z[i] < high[2]));
    }
    for (std::size_t i = 0; i < length; ++i) {
      if (keep[i] != 0) inside.push_back({x[i], y[i], z[i]});
    }
  }
  return inside;
}

}  // namespace grasppanda::eval
