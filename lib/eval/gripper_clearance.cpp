#include "lib/eval/gripper_clearance.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>

namespace grasppanda::eval {
namespace {

constexpr double kHalfHeight = 0.01;  // half of the fingers' height of 2 cm
constexpr double kThickness = 0.01;
constexpr double kBehind = 0.02;  // from the grasp's origin back to the palm
constexpr int kLeast = 10;        // points between the fingers

}  // namespace

GripperClearance gripper_clearance(const PointSet& surroundings, const GripperPose& gripper) {
  const geometry::Mat3& r = gripper.rotation;
  const geometry::Vec3& t = gripper.translation;
  const double half = gripper.width / 2, outer = half + kThickness;
  const double palm_back = -kBehind - kThickness;
  const double front = std::max(gripper.depth, -kBehind);  // the palm does not end with the fingers
  GripperClearance result;
  int inner = 0;
  // Points near the plane of the gripper are few: the third coordinate of a block decides first.
  constexpr std::size_t kBlock = 512;
  std::array<unsigned char, kBlock> near;
  for (std::size_t start = 0; start < surroundings.size(); start += kBlock) {
    const std::size_t length = std::min(kBlock, surroundings.size() - start);
    const double *x = surroundings.x.data() + start, *y = surroundings.y.data() + start,
                 *z = surroundings.z.data() + start;
    for (std::size_t i = 0; i < length; ++i) {
      const double qz = ((x[i] - t[0]) * r[2] + (y[i] - t[1]) * r[5]) + (z[i] - t[2]) * r[8];
      const double qx = ((x[i] - t[0]) * r[0] + (y[i] - t[1]) * r[3]) + (z[i] - t[2]) * r[6];
      near[i] = static_cast<unsigned char>((std::abs(qz) < kHalfHeight) & (qx > palm_back) &
                                           (qx < front));
    }
    for (std::size_t i = 0; i < length; ++i) {
      if (near[i] == 0) continue;
      const double dx = x[i] - t[0], dy = y[i] - t[1], dz = z[i] - t[2];
      const double qx = (dx * r[0] + dy * r[3]) + dz * r[6];
      const double qy = (dx * r[1] + dy * r[4]) + dz * r[7];
      if (qx > -kBehind && qx < gripper.depth) {
        const bool left = qy > -outer && qy < -half;
        const bool right = qy > half && qy < outer;
        result.collision = result.collision || left || right;
        if (qy >= -half && qy <= half) ++inner;
      } else if (qx < -kBehind && std::abs(qy) < outer) {
        result.collision = true;
      }
    }
    if (result.collision && inner >= kLeast) break;
  }
  result.empty = inner < kLeast;
  return result;
}

}  // namespace grasppanda::eval
