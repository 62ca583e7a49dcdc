#include "lib/datasets/workspace_box.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lib/io/format_error.h"

namespace grasppanda::datasets {
namespace {

using geometry::RigidTransform;
using geometry::Vec3;

constexpr double kMargin = 0.02;  // metres

/// Calls take(pixel, point in the table's frame) for every pixel that `wanted` has.
template <class Wanted, class Take>
void for_each_point(const DepthImage& depth, const geometry::Intrinsics& k,
                    const RigidTransform& table_from_camera, Wanted wanted, Take take) {
  std::size_t pixel = 0;
  for (std::int64_t v = 0; v < depth.height; ++v) {
    for (std::int64_t u = 0; u < depth.width; ++u, ++pixel) {
      if (!wanted(pixel)) continue;
      take(pixel,
           table_from_camera * back_project(k, static_cast<double>(u), static_cast<double>(v),
                                            depth.raw[pixel] / depth.factor));
    }
  }
}

}  // namespace

RigidTransform affine_from_matrix(const std::array<double, 16>& m, const std::string& name) {
  const bool finite = std::all_of(m.begin(), m.end(), [](double v) { return std::isfinite(v); });
  if (!finite || m[12] != 0 || m[13] != 0 || m[14] != 0 || m[15] != 1) {
    throw io::FormatError(name +
                          ": holds a 4x4 matrix that is no pose (last row other than "
                          "0 0 0 1, or numbers that are not finite)");
  }
  return {{m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]}, {m[3], m[7], m[11]}};
}

std::optional<std::vector<std::uint8_t>> workspace_from_labels(
    const DepthImage& depth, const geometry::Intrinsics& intrinsics,
    std::span<const std::uint8_t> labelled, const RigidTransform& table_from_camera) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Vec3 low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};
  for_each_point(
      depth, intrinsics, table_from_camera, [&](std::size_t pixel) { return labelled[pixel] != 0; },
      [&](std::size_t, const Vec3& p) {
        for (std::size_t axis = 0; axis < 3; ++axis) {
          low[axis] = std::min(low[axis], p[axis]);
          high[axis] = std::max(high[axis], p[axis]);
        }
      });
  if (!(low[0] <= high[0])) return std::nullopt;
  for (double& v : low) v -= kMargin;
  for (double& v : high) v += kMargin;

  std::vector<std::uint8_t> inside(depth.raw.size(), 0);
  for_each_point(
      depth, intrinsics, table_from_camera, [&](std::size_t pixel) { return depth.raw[pixel] > 0; },
      [&](std::size_t pixel, const Vec3& p) {
        inside[pixel] = low[0] < p[0] && p[0] < high[0] && low[1] < p[1] && p[1] < high[1] &&
                        low[2] < p[2] && p[2] < high[2];
      });
  return inside;
}

}  // namespace grasppanda::datasets
