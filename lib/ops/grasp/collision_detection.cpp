#include "lib/ops/grasp/collision_detection.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "lib/ops/argument_check.h"
#include "lib/ops/grasp/scene_voxels.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "collision_detection";
constexpr int64_t kColumns = 17;
constexpr double kFingerWidth = 0.01, kFingerLength = 0.06;  // metres
constexpr double kGridCell = 0.04;  // metres: about a third of a gripper; only speed depends on it

struct Counts {
  int64_t any = 0, left = 0, right = 0, bottom = 0, shifting = 0, inner = 0;
};

// The zones of one gripper. Every bound is formed in T, left to right, then widened.
template <class T>
struct Gripper {
  Gripper(const T* row, double approach_dist)
      : width(row[1]),
        height(row[2]),
        half_height(height / 2),
        tip(row[3]),
        palm(row[3] - T(kFingerLength)),
        back(palm - T(kFingerWidth)),
        path_start(back - T(approach_dist)),
        inner(width / 2),
        outer(width / 2 + T(kFingerWidth)) {
    for (int i = 0; i < 9; ++i) rotation[i] = row[4 + i];
    for (int axis = 0; axis < 3; ++axis) centre[axis] = row[13 + axis];
  }

  void count(const Point& point, Counts& counts) const {
    const double dx = point[0] - centre[0], dy = point[1] - centre[1], dz = point[2] - centre[2];
    const double z = dx * rotation[2] + dy * rotation[5] + dz * rotation[8];
    if (!(-half_height < z && z < half_height)) return;
    const double x = dx * rotation[0] + dy * rotation[3] + dz * rotation[6];
    const double y = dx * rotation[1] + dy * rotation[4] + dz * rotation[7];
    const bool along_fingers = palm < x && x < tip;
    const bool across_hand = -outer < y && y < outer;
    const bool left = along_fingers && -outer < y && y < -inner;
    const bool right = along_fingers && inner < y && y < outer;
    const bool bottom = across_hand && back < x && x <= palm;
    const bool shifting = across_hand && path_start < x && x <= back;
    counts.left += left;
    counts.right += right;
    counts.bottom += bottom;
    counts.shifting += shifting;
    counts.any += left || right || bottom || shifting;
    counts.inner += along_fingers && -inner <= y && y <= inner;
  }

  // The box around every zone in the scene's frame, if rotation is one (to a thousandth). A
  // non-orthonormal matrix can bring any point into a zone; then there is no box.
  bool bounding_box(Point& low, Point& high) const {
    for (int a = 0; a < 3; ++a)
      for (int b = a; b < 3; ++b) {
        double dot = 0;
        for (int k = 0; k < 3; ++k) dot += rotation[3 * k + a] * rotation[3 * k + b];
        if (!(std::abs(dot - (a == b)) < 1e-3)) return false;
      }
    const double middle = 0.5 * (double{tip} + double{path_start});
    const double reach_x = 0.5 * std::abs(double{tip} - double{path_start});
    const double reach_y = std::max(std::abs(double{outer}), std::abs(double{inner}));
    const double reach_z = std::abs(double{half_height});
    // The inverse is within some thousandths of the transpose.
    const double slack = 1e-6 + 0.01 * (std::abs(middle) + reach_x + reach_y + reach_z);
    for (int axis = 0; axis < 3; ++axis) {
      const double* row = rotation + 3 * axis;
      const double at = centre[axis] + row[0] * middle;
      const double reach = std::abs(row[0]) * reach_x + std::abs(row[1]) * reach_y +
                           std::abs(row[2]) * reach_z + slack;
      if (!std::isfinite(at) || !std::isfinite(reach)) return false;
      low[axis] = at - reach;
      high[axis] = at + reach;
    }
    return true;
  }

  T width, height, half_height, tip, palm, back, path_start, inner, outer;
  double rotation[9], centre[3];
};

// Zone volumes in voxels, in T, left to right.
template <class T>
struct Volumes {
  Volumes(const Gripper<T>& gripper, double approach_dist, double voxel_size) {
    const T voxel = T(std::pow(voxel_size, 3));
    const T h = gripper.height, w = gripper.width, span = w + T(2 * kFingerWidth);
    side = h * T(kFingerLength) * T(kFingerWidth) / voxel;
    bottom = h * span * T(kFingerWidth) / voxel;
    shifting = h * span * T(approach_dist) / voxel;
    inner = h * T(kFingerLength) * w / voxel;
    all = side * T(2) + bottom + shifting;
  }
  T side, bottom, shifting, inner, all;
};

template <class T>
double overlap(int64_t points, T volume) {
  return static_cast<double>(points) / static_cast<double>(volume + T(1e-6));
}

template <class T>
void check_grasps(const at::Tensor& grasps, const PointGrid& scene,
                  const CollisionSettings& settings, Collisions& result) {
  const double approach_dist = std::max(settings.approach_dist, kFingerWidth);
  const T* rows = grasps.data_ptr<T>();
  bool* collides = result.collision_mask.data_ptr<bool>();
  bool* empty = result.empty_mask.data_ptr<bool>();
  double* ious = result.ious.data_ptr<double>();
  const int64_t count = grasps.size(0);
  at::parallel_for(0, count, 16, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const Gripper<T> gripper(rows + i * kColumns, approach_dist);
      const Volumes<T> volumes(gripper, approach_dist, settings.voxel_size);
      Counts counts;
      const auto visit = [&](const Point& point) { gripper.count(point, counts); };
      Point low, high;
      if (gripper.bounding_box(low, high))
        scene.for_each_near(low, high, visit);
      else
        scene.for_each(visit);
      const double global = overlap(counts.any, volumes.all);
      ious[i] = global;
      ious[count + i] = overlap(counts.left, volumes.side);
      ious[2 * count + i] = overlap(counts.right, volumes.side);
      ious[3 * count + i] = overlap(counts.bottom, volumes.bottom);
      ious[4 * count + i] = overlap(counts.shifting, volumes.shifting);
      collides[i] = global > settings.collision_thresh;
      empty[i] = static_cast<double>(counts.inner) / static_cast<double>(volumes.inner) <
                 settings.empty_thresh;
    }
  });
}

void require_float(std::string_view argument, const at::Tensor& tensor, int64_t columns) {
  if (tensor.dim() != 2 || tensor.size(1) != columns)
    refuse_argument(kOp, argument, "has shape " + shape_text(tensor),
                    "(n, " + std::to_string(columns) + ")");
  if (tensor.scalar_type() != at::kFloat && tensor.scalar_type() != at::kDouble)
    refuse_argument(kOp, argument, "is " + std::string(c10::toString(tensor.scalar_type())),
                    "float32 or float64");
}

void check_settings(const CollisionSettings& settings) {
  if (!(settings.voxel_size > 0) || std::isinf(settings.voxel_size))
    refuse_argument(kOp, "voxel_size", "is " + std::to_string(settings.voxel_size),
                    "a positive number of metres");
  if (!std::isfinite(settings.approach_dist))
    refuse_argument(kOp, "approach_dist", "is not finite", "a number of metres");
  if (std::isnan(settings.collision_thresh))
    refuse_argument(kOp, "collision_thresh", "is NaN", "a number");
  if (std::isnan(settings.empty_thresh)) refuse_argument(kOp, "empty_thresh", "is NaN", "a number");
}

at::Tensor tensor_of(const std::vector<Point>& points) {
  at::Tensor tensor = at::empty({static_cast<int64_t>(points.size()), 3}, at::kDouble);
  static_assert(sizeof(Point) == 3 * sizeof(double));
  if (!points.empty()) std::memcpy(tensor.data_ptr(), points.data(), tensor.nbytes());
  return tensor;
}

}  // namespace

Collisions collision_detection(const at::Tensor& grasps, const at::Tensor& cloud,
                               const CollisionSettings& settings) {
  require_float("grasps", grasps, kColumns);
  require_float("cloud", cloud, 3);
  check_settings(settings);
  const at::Tensor rows = grasps.detach().to(at::kCPU).contiguous();
  const at::Tensor points = cloud.detach().to(at::kCPU, at::kDouble).contiguous();
  const int64_t count = rows.size(0);
  const std::vector<Point> means =
      scene_voxels(points.data_ptr<double>(), points.size(0), settings.voxel_size);
  Collisions result{at::empty({count}, at::kBool), at::empty({count}, at::kBool),
                    at::empty({5, count}, at::kDouble), tensor_of(means)};
  const PointGrid scene(means, kGridCell);
  if (rows.scalar_type() == at::kFloat)
    check_grasps<float>(rows, scene, settings, result);
  else
    check_grasps<double>(rows, scene, settings, result);
  return result;
}

}  // namespace grasppanda::ops
