// The YAML that camera calibrations come in.
#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

namespace grasppanda::datasets {

/// Numbers by key, as an object: `fx: 600.5`, `K: [600, 0, 320, ...]` (over several lines, too),
/// rows as `- [600, 0, 320]`, and one level of nesting (`camera_matrix:` with `data: [...]`). Keys
/// whose values are no numbers are left out. That covers ROS camera_info files and OpenCV's file
/// storage, whose first line `%YAML:1.0` is no YAML; it is no reader of YAML at large. Throws
/// io::FormatError with the line: a list that is not closed, a word in a list of numbers.
nlohmann::json parse_camera_yaml(std::string_view text, const std::string& name);

}  // namespace grasppanda::datasets
