// The gripper as the field draws it, in numbers.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "lib/geometry/camera.h"
#include "lib/geometry/grasp.h"

namespace grasppanda::render {

inline constexpr double kPalmX = -0.02;        // along approach, from the grasp's origin, metres
inline constexpr double kHandleLength = 0.04;  // behind the palm

/// The centre lines, in the frame that the grasp is given in: tip, palm, palm, tip of the two
/// fingers (the inner faces, at half the width), then handle's end and palm's middle.
struct GripperLines {
  std::array<geometry::Vec3, 4> fingers;
  std::array<geometry::Vec3, 2> handle;
};
GripperLines gripper_lines(const geometry::Grasp& grasp);

/// Can it be drawn: width, depth, rotation and translation finite (a score may be NaN).
bool drawable(const geometry::Grasp& grasp);

/// Point (x, y, z) of the grasp's frame in the frame that the grasp is given in.
geometry::Vec3 from_grasp(const geometry::Grasp& grasp, const geometry::Vec3& point);

/// The drawable ones among the first `most` (0: all) grasps, in order.
std::vector<geometry::Grasp> drawn_grasps(std::span<const geometry::Grasp> grasps,
                                          std::int64_t most);

}  // namespace grasppanda::render
