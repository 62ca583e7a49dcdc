// Where the pixels of a GeoTIFF lie in the world. Only the five tags of that are read, through
// libtiff: a raster's affine transform and the number of its coordinate system need no library for
// projections, and libgeotiff would bring PROJ and its database along.
#pragma once

#include <array>
#include <filesystem>
#include <optional>

namespace grasppanda::io {

struct GeoReference {
  /// World x = t[0] + t[1] px + t[2] py, y = t[3] + t[4] px + t[5] py; px, py in pixels, (0, 0) the
  /// upper left corner of the first pixel, whatever the file's own rule is.
  std::array<double, 6> transform{};
  std::optional<int> epsg;  // of the projected or geographic system; none: user-defined or absent

  std::array<double, 2> world(double x, double y) const {
    return {transform[0] + transform[1] * x + transform[2] * y,
            transform[3] + transform[4] * x + transform[5] * y};
  }
};

/// From ModelTransformation, or ModelPixelScale and the first ModelTiepoint; none for a file that
/// is no TIFF or has no such tags, or whose numbers make no transform. Tie points alone (ground
/// control points) are no transform. Throws io::FormatError when the file cannot be read.
/// Source: OGC GeoTIFF 1.1.
std::optional<GeoReference> read_geo_reference(const std::filesystem::path& path);

}  // namespace grasppanda::io
