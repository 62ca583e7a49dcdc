// Grippers as lines over a picture, faint where the cloud hides them.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "lib/geometry/grasp.h"
#include "lib/render/canvas.h"
#include "lib/render/depth_buffer.h"
#include "lib/render/score_color.h"
#include "lib/render/view.h"

namespace grasppanda::render {

/// A gripper is hidden where it lies farther behind the cloud than this, plus a splat's size.
inline constexpr double kHiddenBehind = 0.005;

/// Draws the last grasp first, so that the best, which come first, lie on top. All grasps must be
/// drawable. `buffer` has the size of the canvas.
void draw_grippers(Canvas& canvas, const View& view, const DepthBuffer& buffer,
                   std::span<const geometry::Grasp> grasps, const ScoreRange& range);

/// Where the ends and corners of the grippers lie on the picture, seen or hidden: what a legend
/// should not cover.
std::vector<std::array<double, 2>> gripper_pixels(const View& view,
                                                  std::span<const geometry::Grasp> grasps);

}  // namespace grasppanda::render
