// Settings that say how to open an input (the rest of `input.*` is in CloudSettings).
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "lib/geometry/camera.h"

namespace grasppanda::datasets {

struct OpenSettings {
  std::optional<double> depth_scale;  // none: factor_depth of the meta
  enum class Mask { automatic, none, file } workspace_mask = Mask::automatic;
  std::filesystem::path workspace_mask_file;
  std::optional<geometry::Intrinsics> intrinsics;        // given as numbers
  std::optional<std::filesystem::path> intrinsics_file;  // .mat .json .npy .yaml, by content
  std::optional<std::filesystem::path> color_file;       // for --depth FILE --color FILE
  std::string array_name;                                // --array: inside an .npz
  std::optional<std::int64_t> array_index;               // --index: inside a stack of clouds
};

}  // namespace grasppanda::datasets
