// Grasps between the camera's frame and that of the files.
#include "lib/run/writer.h"

namespace grasppanda::run {
namespace {

std::vector<geometry::Grasp> moved(std::span<const geometry::Grasp> grasps, const Matrix4& m) {
  std::vector<geometry::Grasp> result(grasps.begin(), grasps.end());
  for (geometry::Grasp& grasp : result) {
    const geometry::Grasp before = grasp;
    for (std::size_t row = 0; row < 3; ++row) {
      for (std::size_t column = 0; column < 3; ++column) {
        double sum = 0;
        for (std::size_t k = 0; k < 3; ++k) {
          sum += m[4 * row + k] * static_cast<double>(before.rotation[3 * k + column]);
        }
        grasp.rotation[3 * row + column] = static_cast<float>(sum);
      }
      double sum = m[4 * row + 3];
      for (std::size_t k = 0; k < 3; ++k) {
        sum += m[4 * row + k] * static_cast<double>(before.translation[k]);
      }
      grasp.translation[row] = static_cast<float>(sum);
    }
  }
  return result;
}

}  // namespace

std::vector<geometry::Grasp> grasps_in_file_frame(const GraspResult& result) {
  if (!result.base_from_camera) return {result.grasps.begin(), result.grasps.end()};
  return moved(result.grasps, *result.base_from_camera);
}

std::vector<geometry::Grasp> grasps_in_camera_frame(std::span<const geometry::Grasp> grasps,
                                                    const Matrix4& base_from_camera) {
  const Matrix4& m = base_from_camera;  // a rigid motion: the inverse rotation is the transpose
  Matrix4 inverse{};
  inverse[15] = 1;
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t k = 0; k < 3; ++k) {
      inverse[4 * row + k] = m[4 * k + row];
      inverse[4 * row + 3] -= m[4 * k + row] * m[4 * k + 3];
    }
  }
  return moved(grasps, inverse);
}

}  // namespace grasppanda::run
