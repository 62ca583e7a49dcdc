// A parallel-jaw grasp and the 17 numbers in which grasps travel.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace grasppanda::geometry {

/// The 17 columns of the GraspNet format, in file order. Metres.
/// Rotation: row-major 3x3; its columns are approach, closing direction, normal (approach x
/// closing). The fingers end at x = depth, the palm is at x = -0.02; translation is the origin.
struct Grasp {
  float score = 0;              // not a probability; may exceed 1
  float width = 0;              // opening between the fingers
  float height = 0;             // thickness of the fingers
  float depth = 0;              // how far the finger tips reach beyond the origin along approach
  std::array<float, 9> rotation{1, 0, 0, 0, 1, 0, 0, 0, 1};
  std::array<float, 3> translation{0, 0, 0};
  float object_id = -1;
};
static_assert(sizeof(Grasp) == 17 * sizeof(float));

using GraspGroup = std::vector<Grasp>;

/// Names of the 17 columns, for files that say what they hold.
inline constexpr int kGraspColumns = 17;

}  // namespace grasppanda::geometry
