#include "lib/render/gripper_shape.h"

#include <algorithm>
#include <cmath>

namespace grasppanda::render {

geometry::Vec3 from_grasp(const geometry::Grasp& grasp, const geometry::Vec3& point) {
  geometry::Vec3 out{};
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = grasp.rotation[3 * i] * point[0] + grasp.rotation[3 * i + 1] * point[1] +
             grasp.rotation[3 * i + 2] * point[2] + grasp.translation[i];
  return out;
}

GripperLines gripper_lines(const geometry::Grasp& grasp) {
  const double half = grasp.width / 2.0;
  const double tip = grasp.depth;
  return {{from_grasp(grasp, {tip, -half, 0}), from_grasp(grasp, {kPalmX, -half, 0}),
           from_grasp(grasp, {kPalmX, half, 0}), from_grasp(grasp, {tip, half, 0})},
          {from_grasp(grasp, {kPalmX - kHandleLength, 0, 0}), from_grasp(grasp, {kPalmX, 0, 0})}};
}

bool drawable(const geometry::Grasp& grasp) {
  const auto finite = [](float value) { return std::isfinite(value); };
  return finite(grasp.width) && finite(grasp.depth) &&
         std::all_of(grasp.rotation.begin(), grasp.rotation.end(), finite) &&
         std::all_of(grasp.translation.begin(), grasp.translation.end(), finite);
}

std::vector<geometry::Grasp> drawn_grasps(std::span<const geometry::Grasp> grasps,
                                          std::int64_t most) {
  if (most > 0 && static_cast<std::size_t>(most) < grasps.size())
    grasps = grasps.first(static_cast<std::size_t>(most));
  std::vector<geometry::Grasp> out;
  out.reserve(grasps.size());
  std::copy_if(grasps.begin(), grasps.end(), std::back_inserter(out), drawable);
  return out;
}

}  // namespace grasppanda::render
