// `input.object_mask`: which pixels or points belong to the object that grasps are wanted for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "lib/datasets/frame.h"

namespace grasppanda::datasets {

/// How many values a mask must have to fit.
struct MaskSize {
  std::int64_t width = 0, height = 0;  // of the picture; 0: a stored cloud
  std::int64_t points = 0;             // of the masked cloud (depth) or of the file (stored)
};

/// One byte per pixel (a picture of the frame's size, or a .npy of so many values) or per point (a
/// .npy of so many values), 1 where it is not 0. Throws io::FormatError when it fits neither.
std::vector<std::uint8_t> read_object_mask(const std::filesystem::path& path, const MaskSize& size);

}  // namespace grasppanda::datasets
