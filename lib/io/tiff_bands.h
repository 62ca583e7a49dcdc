// What a TIFF says of its bands.
#pragma once

#include <tiffio.h>

namespace grasppanda::io {

/// Are there four bands, the last of which the file does not call alpha (ExtraSamples)? Satellite
/// pictures of blue, green, red and near infrared come like that.
bool has_unnamed_fourth_band(TIFF* file);

}  // namespace grasppanda::io
