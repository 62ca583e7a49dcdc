#include "lib/eval/scene_cloud.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

namespace grasppanda::eval {
namespace {

// Metres.
constexpr double kVoxel = 0.008;
constexpr double kOutlier = 0.05;      // around an object
constexpr double kReachMargin = 1e-6;  // more than any rounding of a change of frames
constexpr std::size_t kTableSide = 125, kTableLayers = 6;
constexpr double kTableDepth = 0.05;

// Coordinates of the table's points along x and y, and along z.
const std::array<double, kTableSide>& table_line() {
  static const std::array<double, kTableSide> line = [] {
    std::array<double, kTableSide> made;
    const double step = 1.0 / (kTableSide - 1);
    for (std::size_t i = 0; i < kTableSide; ++i) made[i] = static_cast<double>(i) * step - 0.5;
    made.back() = 1.0 - 0.5;
    return made;
  }();
  return line;
}
const std::array<double, kTableLayers>& table_layers() {
  static const std::array<double, kTableLayers> layers = [] {
    std::array<double, kTableLayers> made;
    const double step = kTableDepth / (kTableLayers - 1);
    for (std::size_t i = 0; i < kTableLayers; ++i) {
      made[i] = static_cast<double>(i) * step - kTableDepth;
    }
    made.back() = kTableDepth - kTableDepth;
    return made;
  }();
  return layers;
}

struct Box {
  Vec3 low, high;
  bool contains(const Vec3& p) const {
    return p[0] > low[0] && p[0] < high[0] && p[1] > low[1] && p[1] < high[1] && p[2] > low[2] &&
           p[2] < high[2];
  }
};

Box box_of(const PointSet& points, std::size_t first, std::size_t last) {
  Box box;
  const std::array<const std::vector<double>*, 3> axes = {&points.x, &points.y, &points.z};
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto [least, most] =
        std::minmax_element(axes[axis]->begin() + first, axes[axis]->begin() + last);
    box.low[axis] = *least;
    box.high[axis] = *most;
  }
  return box;
}

// The table's points in `box`: only those near it are moved and tested.
void append_table(const Matrix4d& camera_from_table, const Box& box, PointSet& inside) {
  const Matrix4d table_from_camera = inverse(camera_from_table);
  Box reach;  // of the box's corners in the table frame
  reach.low.fill(std::numeric_limits<double>::infinity());
  reach.high.fill(-std::numeric_limits<double>::infinity());
  for (int corner = 0; corner < 8; ++corner) {
    const Vec3 p = transform(table_from_camera, Vec3{(corner & 1) != 0 ? box.high[0] : box.low[0],
                                                     (corner & 2) != 0 ? box.high[1] : box.low[1],
                                                     (corner & 4) != 0 ? box.high[2] : box.low[2]});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      reach.low[axis] = std::min(reach.low[axis], p[axis] - kReachMargin);
      reach.high[axis] = std::max(reach.high[axis], p[axis] + kReachMargin);
    }
  }
  const auto range = [](const auto& line, double low, double high) {
    return std::pair{std::lower_bound(line.begin(), line.end(), low),
                     std::upper_bound(line.begin(), line.end(), high)};
  };
  const auto [x0, x1] = range(table_line(), reach.low[0], reach.high[0]);
  const auto [y0, y1] = range(table_line(), reach.low[1], reach.high[1]);
  const auto [z0, z1] = range(table_layers(), reach.low[2], reach.high[2]);
  for (auto x = x0; x < x1; ++x) {
    for (auto y = y0; y < y1; ++y) {
      for (auto z = z0; z < z1; ++z) {
        const Vec3 p = transform(camera_from_table, Vec3{*x, *y, *z});
        if (box.contains(p)) inside.push_back(p);
      }
    }
  }
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

SceneCloud make_scene_cloud(std::span<const PointSet* const> models,
                            std::span<const Matrix4f> camera_from_object,
                            const Matrix4d& camera_from_table) {
  SceneCloud scene;
  scene.camera_from_table = camera_from_table;
  for (std::size_t i = 0; i < models.size(); ++i) {
    scene.starts.push_back(scene.points.size());
    append_moved(*models[i], camera_from_object[i], scene.points);
  }
  const std::size_t count = scene.points.size();
  scene.starts.push_back(count);
  for (std::size_t start = 0; start < count; start += SceneCloud::kBlockPoints) {
    const Box box = box_of(scene.points, start, std::min(count, start + SceneCloud::kBlockPoints));
    scene.blocks.push_back({box.low, box.high});
  }
  return scene;
}

std::size_t nearest_object(const SceneCloud& scene, const Vec3& place) {
  // Blocks whose box is farther than the best so far cannot hold a nearer point; the hair less
  // than 1 covers the rounding of both distances.
  const auto least_squared = [&](const SceneCloud::Block& block) {
    double sum = 0;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      const double off =
          std::max({block.low[axis] - place[axis], place[axis] - block.high[axis], 0.0});
      sum += off * off;
    }
    return sum * (1 - 1e-12);
  };
  thread_local std::vector<double> bounds;
  bounds.clear();
  std::size_t closest = 0;
  for (const SceneCloud::Block& block : scene.blocks) {
    bounds.push_back(least_squared(block));
    if (bounds.back() < bounds[closest]) closest = bounds.size() - 1;
  }
  const PointSet& points = scene.points;
  double nearest = std::numeric_limits<double>::infinity();
  std::size_t index = 0;
  const auto search = [&](std::size_t block) {
    const std::size_t start = block * SceneCloud::kBlockPoints;
    const std::size_t end = std::min(points.size(), start + SceneCloud::kBlockPoints);
    for (std::size_t i = start; i < end; ++i) {
      const double x = points.x[i] - place[0], y = points.y[i] - place[1],
                   z = points.z[i] - place[2];
      const double squared = (x * x + y * y) + z * z;
      if (squared < nearest || (squared == nearest && i < index)) {
        nearest = squared;
        index = i;
      }
    }
  };
  search(closest);
  for (std::size_t block = 0; block < bounds.size(); ++block) {
    if (block != closest && bounds[block] <= nearest) search(block);
  }
  const auto behind = std::upper_bound(scene.starts.begin(), scene.starts.end(), index);
  return static_cast<std::size_t>(behind - scene.starts.begin()) - 1;
}

PointSet surroundings(const SceneCloud& scene, std::size_t object) {
  const PointSet& points = scene.points;
  Box box = box_of(points, scene.starts[object], scene.starts[object + 1]);
  for (std::size_t axis = 0; axis < 3; ++axis) {
    box.low[axis] -= kOutlier;
    box.high[axis] += kOutlier;
  }
  PointSet inside;
  for (std::size_t b = 0; b < scene.blocks.size(); ++b) {
    const SceneCloud::Block& block = scene.blocks[b];
    bool meets = true;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      meets = meets && block.high[axis] > box.low[axis] && block.low[axis] < box.high[axis];
    }
    if (!meets) continue;
    const std::size_t start = b * SceneCloud::kBlockPoints;
    const std::size_t end = std::min(points.size(), start + SceneCloud::kBlockPoints);
    for (std::size_t i = start; i < end; ++i) {
      if (box.contains(points.at(i))) inside.push_back(points.at(i));
    }
  }
  append_table(scene.camera_from_table, box, inside);
  return inside;
}

}  // namespace grasppanda::eval
