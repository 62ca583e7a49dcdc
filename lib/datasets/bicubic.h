// Enlarging and shrinking pictures the way DOTA tiles are made.
#pragma once

#include "lib/io/image.h"

namespace grasppanda::datasets {

/// Bicubic (a = -0.75), pixel centres at half numbers, borders repeated, no smoothing before
/// shrinking; sizes are rounded to the nearest whole pixel, at least 1. 8 and 16 bit pictures of
/// any number of channels. Throws std::invalid_argument for a rate that is not above 0.
io::Image resize_bicubic(const io::Image& image, double rate);

}  // namespace grasppanda::datasets
