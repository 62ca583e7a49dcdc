// A cloud as it lies in a PLY, PCD or XYZ file.
#pragma once

#include <cstdint>
#include <vector>

namespace grasppanda::io {

struct PointCloud {
  std::vector<double> xyz;           // 3 per point, metres, in the file's own frame
  std::vector<std::uint8_t> rgb;     // 3 per point, or empty
  std::int64_t points() const { return static_cast<std::int64_t>(xyz.size() / 3); }
};

}  // namespace grasppanda::io
