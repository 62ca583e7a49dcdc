#include "lib/io/png.h"

#include "lib/render/grasp_picture.h"
#include "lib/run/writer.h"

namespace grasppanda::run {

void write_png(const GraspResult& result, const std::filesystem::path& file) {
  if (result.picture) {
    io::write_png(file, render::draw_grasps({.color = result.picture->color,
                                             .intrinsics = result.picture->intrinsics,
                                             .width = result.picture->width,
                                             .height = result.picture->height,
                                             .cloud_xyz = result.cloud_xyz,
                                             .cloud_rgb = result.cloud_rgb,
                                             .grasps = result.grasps,
                                             .max_grasps = result.drawn,
                                             .name = result.name}));
    return;
  }
  io::write_png(file, render::draw_cloud({.cloud_xyz = result.cloud_xyz,
                                          .cloud_rgb = result.cloud_rgb,
                                          .grasps = result.grasps,
                                          .up = result.up,
                                          .max_grasps = result.drawn,
                                          .name = result.name}));
}

}  // namespace grasppanda::run
