// What is known about a frame's camera: intrinsics and depth unit, from the files they come in.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "lib/geometry/camera.h"

namespace grasppanda::datasets {

/// Each part is there only if the file has it.
struct CameraMeta {
  std::optional<geometry::Intrinsics> intrinsics;
  std::optional<double> factor_depth;         // metres = raw / factor; positive, finite
  std::optional<std::int64_t> width, height;  // of the picture the intrinsics belong to
};

/// Reads, the format decided by content:
///   MAT 5  `intrinsic_matrix` 3x3, `factor_depth` 1x1, any numeric type;
///   JSON   `intrinsic_matrix`, `camera_matrix` or `K` as 3x3, as nine row-major numbers or as an
///          object with `data`, or `fx fy cx cy`; `factor_depth`; `width`, `height`;
///   YAML   the same names, in the shapes of read_camera_yaml;
///   npy    a 3x3 matrix, its nine numbers, or fx fy cx cy.
/// Other entries are ignored. Throws io::FormatError naming the file and what is wrong.
CameraMeta read_camera_meta(const std::filesystem::path& path);

/// The JSON form from memory; `name` stands in messages.
CameraMeta camera_meta_from_json(const nlohmann::json& json, const std::string& name);

}  // namespace grasppanda::datasets
