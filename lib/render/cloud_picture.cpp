// draw_cloud of grasp_picture.h: a stored cloud from above and from the side.
#include <algorithm>
#include <vector>

#include "lib/render/cloud_color.h"
#include "lib/render/depth_buffer.h"
#include "lib/render/fitted_view.h"
#include "lib/render/grasp_picture.h"
#include "lib/render/gripper_overlay.h"
#include "lib/render/gripper_shape.h"
#include "lib/render/legend.h"

namespace grasppanda::render {
namespace {

struct Scene {
  std::span<const double> xyz;
  std::vector<std::uint8_t> rgb;
  std::vector<geometry::Grasp> drawn;
  ScoreRange range;
};

Canvas draw_view(const Scene& scene, View view, std::int64_t width, std::int64_t height) {
  view.width = width;
  view.height = height;
  Canvas canvas(width, height);
  paint_background(canvas);
  const DepthBuffer buffer = draw_depth(view, scene.xyz);
  shade(canvas, view, buffer, scene.rgb);
  draw_grippers(canvas, view, buffer, scene.drawn, scene.range);
  return canvas;
}

}  // namespace

io::Image draw_cloud(const CloudPicture& picture) {
  if (picture.width < 1 || picture.height < 1) return Canvas(0, 0).take();
  const geometry::Vec3 up = unit_up(picture.up);
  Scene scene{picture.cloud_xyz,
              cloud_colors(picture.cloud_xyz, picture.cloud_rgb, up),
              drawn_grasps(picture.grasps, picture.max_grasps),
              {}};
  scene.range = score_range(scene.drawn);

  const bool above = picture.view != CloudView::three_quarter;
  const bool side = picture.view != CloudView::from_above && picture.width > 1;
  const std::int64_t above_width = !above ? 0 : side ? picture.width / 2 : picture.width;
  const auto height = static_cast<double>(picture.height);
  // The legend stands over the first view, which therefore starts below it.
  const double legend = height / 7;

  Canvas canvas(picture.width, picture.height);
  if (above) {
    const Area area{0, legend, static_cast<double>(above_width), height - legend};
    const View view = view_from_above(scene.xyz, scene.drawn, up, area);
    canvas.paste(draw_view(scene, view, above_width, picture.height), 0, 0);
    draw_scale_bar(canvas, 0, 0, above_width, picture.height, view.intrinsics.fx);
  }
  if (side) {
    const std::int64_t width = picture.width - above_width;
    const double top = above ? 0 : legend;
    const Area area{0, top, static_cast<double>(width), height - top};
    const View view = view_three_quarter(scene.xyz, scene.drawn, up, area);
    canvas.paste(draw_view(scene, view, width, picture.height), above_width, 0);
  }
  draw_legend(canvas, {.name = picture.name,
                       .drawn = static_cast<std::int64_t>(scene.drawn.size()),
                       .total = static_cast<std::int64_t>(picture.grasps.size()),
                       .range = scene.range});
  return std::move(canvas).take();
}

}  // namespace grasppanda::render
