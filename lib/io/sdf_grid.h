// Signed distance grids as text: three lines of header, then one value a line.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace grasppanda::io {

/// Metres, model frame; negative inside of the object.
struct SdfGrid {
  std::array<std::int64_t, 3> nodes{};  // along x, y, z; at least 2 each
  std::array<double, 3> origin{};       // of node (0, 0, 0)
  double step = 0;
  std::vector<double> values;  // x runs fastest, then y, then z
};

/// The most values that a grid may have; sizes are checked before memory is taken.
inline constexpr std::int64_t kMaxSdfValues = std::int64_t{1} << 28;

/// Throws FormatError with the line: sizes, origin or step malformed, a value that is no finite
/// number, too few values or text behind the last.
SdfGrid read_sdf(const std::filesystem::path& path);
/// The same from memory; `name` stands in messages.
SdfGrid parse_sdf(std::span<const std::byte> bytes, const std::string& name);

}  // namespace grasppanda::io
