// `output.frame`: the file that says how the robot's frame and the camera's lie to each other.
#pragma once

#include <filesystem>

#include "lib/run/writer.h"

namespace grasppanda::app {

/// Reads base_from_camera, a 4x4 rigid motion in metres: a .npy of shape (4, 4), or JSON that is
/// the matrix itself, 16 numbers, or an object with it under `base_from_camera`. Told by content.
/// Throws io::FormatError naming the file and what is wrong with the matrix.
run::Matrix4 read_base_from_camera(const std::filesystem::path& file);

}  // namespace grasppanda::app
