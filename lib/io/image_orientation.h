// EXIF orientation: how a camera was held, and the picture turned upright.
#pragma once

#include <cstddef>
#include <span>

#include "lib/io/image.h"

namespace grasppanda::io {

/// 1..8 from an EXIF block (a TIFF structure, without the "Exif\0\0" mark); 1, upright, when there
/// is none or it is damaged: a picture is not refused for its camera's notes.
int exif_orientation(std::span<const std::byte> exif);

/// The picture as it is to be looked at. 1: as it is; 3: turned by half; 6: turned clockwise by a
/// quarter; 8: counter-clockwise; 2, 4, 5, 7: the mirrored ones. A number outside 1..8 counts as 1.
Image upright(Image image, int orientation);

}  // namespace grasppanda::io
