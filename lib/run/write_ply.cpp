#include "lib/io/ply.h"

#include "lib/render/grasp_ply.h"
#include "lib/run/writer.h"

namespace grasppanda::run {

void write_ply(const GraspResult& result, const std::filesystem::path& file) {
  std::vector<double> moved;
  std::span<const double> cloud = result.cloud_xyz;
  if (result.base_from_camera) {
    const Matrix4& m = *result.base_from_camera;
    moved.resize(cloud.size());
    for (std::size_t i = 0; i + 2 < cloud.size(); i += 3) {
      for (std::size_t row = 0; row < 3; ++row) {
        moved[i + row] = m[4 * row] * cloud[i] + m[4 * row + 1] * cloud[i + 1] +
                         m[4 * row + 2] * cloud[i + 2] + m[4 * row + 3];
      }
    }
    cloud = moved;
  }
  const std::vector<geometry::Grasp> grasps = grasps_in_file_frame(result);
  io::write_ply(file, render::grasp_mesh({.cloud_xyz = cloud,
                                          .cloud_rgb = result.cloud_rgb,
                                          .grasps = grasps,
                                          .max_grasps = result.drawn}));
}

}  // namespace grasppanda::run
