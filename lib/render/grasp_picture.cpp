#include "lib/render/grasp_picture.h"

#include <algorithm>
#include <vector>

#include "lib/render/cloud_color.h"
#include "lib/render/depth_buffer.h"
#include "lib/render/gripper_overlay.h"
#include "lib/render/gripper_shape.h"
#include "lib/render/legend.h"

namespace grasppanda::render {
namespace {

bool usable(const io::Image* image, std::int64_t width, std::int64_t height) {
  return image != nullptr && image->width == width && image->height == height &&
         image->channels == 3 && image->bits == 8 && image->pixels.size() == image->samples();
}

}  // namespace

io::Image draw_grasps(const GraspPicture& picture) {
  if (picture.width < 1 || picture.height < 1) return Canvas(0, 0).take();
  View view;
  view.width = picture.width;
  view.height = picture.height;
  view.intrinsics = picture.intrinsics;
  const DepthBuffer buffer = draw_depth(view, picture.cloud_xyz);

  const bool colored = usable(picture.color, picture.width, picture.height);
  Canvas canvas = colored ? Canvas(*picture.color) : Canvas(picture.width, picture.height);
  if (!colored) {
    paint_background(canvas);
    // Away from the camera is the only direction that a frame without a table fit has.
    shade(canvas, view, buffer,
          cloud_colors(picture.cloud_xyz, picture.cloud_rgb, geometry::Vec3{0, 0, -1}));
  }

  const std::vector<geometry::Grasp> drawn = drawn_grasps(picture.grasps, picture.max_grasps);
  const ScoreRange range = score_range(drawn);
  draw_grippers(canvas, view, buffer, drawn, range);
  draw_legend(canvas,
              {.name = picture.name,
               .drawn = static_cast<std::int64_t>(drawn.size()),
               .total = static_cast<std::int64_t>(picture.grasps.size()),
               .range = range},
              gripper_pixels(view, drawn));
  return std::move(canvas).take();
}

}  // namespace grasppanda::render
