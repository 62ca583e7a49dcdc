// A cloud as it lies in a PLY, PCD or XYZ file.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace grasppanda::io {

struct PointCloud {
  std::vector<double> xyz;        // 3 per point, metres, in the file's own frame
  std::vector<std::uint8_t> rgb;  // 3 per point, or empty
  std::int64_t points() const { return static_cast<std::int64_t>(xyz.size() / 3); }
};

/// Three unnamed columns beside x y z, read as what they look like: whole numbers 0..255 are
/// colours, numbers 0..1 are colours as fractions, anything else (normals) gives none. All zero or
/// empty gives none, too.
std::vector<std::uint8_t> colours_or_none(std::span<const double> columns);

/// Cloud from rows of `width` numbers, x y z first; width >= 3. With six, see colours_or_none.
PointCloud cloud_from_rows(std::span<const double> rows, std::size_t width);

}  // namespace grasppanda::io
