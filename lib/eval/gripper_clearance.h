// Does the open gripper touch anything, and is there anything between its fingers?
#pragma once

#include "lib/eval/point_set.h"
#include "lib/geometry/rotation.h"

namespace grasppanda::eval {

/// Of one grasp, in double. Camera frame, metres.
struct GripperPose {
  geometry::Mat3 rotation{};  // columns: approach, closing direction, normal
  geometry::Vec3 translation{};
  double width = 0, depth = 0;
};

struct GripperClearance {
  bool collision = false;  // a point in a finger or in the palm
  bool empty = false;      // fewer than 10 points between the fingers
};

/// Fingers 2 cm high, 1 cm thick, from 2 cm behind the grasp's origin to `depth` before it; the
/// palm is 1 cm thick behind them.
GripperClearance gripper_clearance(const PointSet& surroundings, const GripperPose& gripper);

}  // namespace grasppanda::eval
