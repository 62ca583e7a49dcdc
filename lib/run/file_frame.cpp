// From the camera's frame to the frame of the files.
#include "lib/run/writer.h"

namespace grasppanda::run {

std::vector<geometry::Grasp> grasps_in_file_frame(const GraspResult& result) {
  std::vector<geometry::Grasp> grasps(result.grasps.begin(), result.grasps.end());
  if (!result.base_from_camera) return grasps;
  const Matrix4& m = *result.base_from_camera;
  for (geometry::Grasp& grasp : grasps) {
    const geometry::Grasp camera = grasp;
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 3; ++column) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          sum += m[4 * row + k] * static_cast<double>(camera.rotation[3 * k + column]);
        }
        grasp.rotation[3 * row + column] = static_cast<float>(sum);
      }
      double sum = m[4 * row + 3];
      for (std::size_t k = 0; k < 3; ++k) {
        sum += m[4 * row + k] * static_cast<double>(camera.translation[k]);
      }
      grasp.translation[row] = static_cast<float>(sum);
    }
  }
  return grasps;
}

}  // namespace grasppanda::run
