// Grippers as lines over a picture, faint where the cloud hides them.
#pragma once

#include <span>

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

}  // namespace grasppanda::render
