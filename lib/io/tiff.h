// TIFF by libtiff: 1 to 16 bits unsigned, strips or tiles, any number of bands, either planar
// arrangement, every compression that the installed libtiff knows; BigTIFF and GeoTIFF too.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "lib/io/image.h"
#include "lib/io/image_sides.h"

namespace grasppanda::io {

/// Decodes the first picture of a TIFF file held in memory, upright; `name` stands in messages.
/// Palettes and YCbCr become RGB, "white is zero" is turned round. Throws FormatError: cut off,
/// damaged, too large (see read_image), samples that are signed, floating or wider than 16 bits,
/// colour spaces that are not read (CMYK, Lab).
Image decode_tiff(std::span<const std::byte> bytes, const std::string& name);

/// What the header says; nothing is decoded. Throws FormatError for a damaged header.
ImageSides tiff_sides(std::span<const std::byte> bytes, const std::string& name);

}  // namespace grasppanda::io
