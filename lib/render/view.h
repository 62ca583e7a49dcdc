// The camera of a picture: perspective or orthographic.
#pragma once

#include <array>
#include <cstdint>

#include "lib/geometry/camera.h"

namespace grasppanda::render {

struct View {
  std::int64_t width = 0, height = 0;
  bool perspective = true;
  /// Orthographic: fx and fy are pixels per metre.
  geometry::Intrinsics intrinsics;
  geometry::Vec3 eye{};                                                   // in the scene's frame
  std::array<geometry::Vec3, 3> axes{{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};  // right, down, forward

  /// A point of the scene in the view's frame: x right, y down, z forward, metres.
  geometry::Vec3 to_view(const geometry::Vec3& p) const {
    const double x = p[0] - eye[0], y = p[1] - eye[1], z = p[2] - eye[2];
    const auto along = [&](const geometry::Vec3& a) { return a[0] * x + a[1] * y + a[2] * z; };
    return {along(axes[0]), along(axes[1]), along(axes[2])};
  }
  /// Column and row of a point of the view's frame; in perspective z > 0 is needed.
  std::array<double, 2> project(const geometry::Vec3& p) const {
    return geometry::project(intrinsics, {p[0], p[1], perspective ? p[2] : 1.0});
  }
  /// Size in metres of a pixel at depth z.
  double pixel_size(double z) const { return (perspective ? z : 1.0) / intrinsics.fx; }
};

/// Nothing nearer than this is drawn in perspective.
inline constexpr double kNear = 0.01;

}  // namespace grasppanda::render
