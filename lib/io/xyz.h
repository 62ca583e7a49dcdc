// XYZ: a point a line, as text.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "lib/io/point_cloud.h"

namespace grasppanda::io {

/// Lines of three or six numbers, the same count on all, separated by spaces, tabs, commas or
/// semicolons; blank lines and what follows `#` or `//` are skipped. Of six, the last three are
/// taken by colours_or_none (point_cloud.h). Throws FormatError with the line: another count, a
/// word that is no number, a binary file. A file without points is an empty cloud.
PointCloud read_xyz(const std::filesystem::path& path);
/// The same from memory; `name` stands in messages.
PointCloud parse_xyz(std::string_view text, const std::string& name);

}  // namespace grasppanda::io
