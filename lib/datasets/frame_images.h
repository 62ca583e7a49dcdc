// The pictures of a frame: depth, colour, workspace mask, each checked against the others' size.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "lib/datasets/frame.h"

namespace grasppanda::datasets {

/// Depth from a 16-bit grey picture, or from a .npy array (height, width) of any numeric type. Sets
/// everything but the factor. Throws io::FormatError naming the format that was found.
DepthImage read_depth(const std::filesystem::path& path);

/// Compares the sides that the headers state, so that a picture that does not fit is refused before
/// any is decoded: a few bytes can claim gigabytes. An empty path: there is none. A file without a
/// readable header passes; its reader says what is wrong. Throws io::FormatError as read_color and
/// read_mask do.
void check_stated_sides(const std::filesystem::path& depth, const std::filesystem::path& color,
                        const std::filesystem::path& mask);

/// 8-bit RGB of the depth's size. Throws io::FormatError for another size.
io::Image read_color(const std::filesystem::path& path, const DepthImage& depth);

/// One byte a pixel, 1 where the picture (or the .npy array) is not 0; of the depth's size. Throws
/// io::FormatError for another size.
std::vector<std::uint8_t> read_mask(const std::filesystem::path& path, const DepthImage& depth);

}  // namespace grasppanda::datasets
