// PNG by libpng: 1 to 16 bits, grey, RGB, palette, with or without alpha, plain or interlaced.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "lib/io/image.h"
#include "lib/io/image_sides.h"

namespace grasppanda::io {

/// Decodes a PNG file held in memory; `name` stands in messages. See read_image for what is made of
/// palettes, low bit depths and orientation. A gamma or colour profile is not applied: samples are
/// the file's own. Throws FormatError (cut off, checksum wrong, too large: see read_image).
Image decode_png(std::span<const std::byte> bytes, const std::string& name);

/// What the header says; nothing is decoded. Throws FormatError for a damaged header.
ImageSides png_sides(std::span<const std::byte> bytes, const std::string& name);

/// Encodes 1 to 4 channels of 8 or 16 bits. Throws std::invalid_argument for another picture.
std::vector<std::byte> encode_png(const Image& image);

/// encode_png into a file that appears whole or not at all.
void write_png(const std::filesystem::path& path, const Image& image);

}  // namespace grasppanda::io
