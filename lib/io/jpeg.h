// JPEG by libjpeg-turbo: grey, RGB, CMYK; baseline and progressive.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "lib/io/image.h"
#include "lib/io/image_sides.h"

namespace grasppanda::io {

/// Decodes a JPEG file held in memory to grey or RGB, upright by its EXIF orientation; `name`
/// stands in messages. CMYK and YCCK become RGB; Adobe's files store them inverted, which is
/// undone. Throws FormatError: cut off, damaged (where libjpeg would only warn, too), too large
/// (see read_image), more than 1000 scans.
Image decode_jpeg(std::span<const std::byte> bytes, const std::string& name);

/// What the header says; nothing is decoded. Throws FormatError for a damaged header.
ImageSides jpeg_sides(std::span<const std::byte> bytes, const std::string& name);

}  // namespace grasppanda::io
