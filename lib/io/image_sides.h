// How large a picture is, by its header alone: to refuse one that does not fit before it costs
// memory.
#pragma once

#include <cstdint>
#include <filesystem>

namespace grasppanda::io {

/// As the file states them, before any turning upright.
struct ImageSides {
  std::int64_t width = 0, height = 0;
};

/// Could the picture, turned upright or not, have the sides `wanted`?
bool could_have_sides(const ImageSides& stated, const ImageSides& wanted);

/// Reads no more than the header of a PNG, JPEG or TIFF. Throws FormatError as read_image does for
/// what is no picture.
ImageSides read_image_sides(const std::filesystem::path& path);

}  // namespace grasppanda::io
