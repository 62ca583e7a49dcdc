// The 3-D view of one input in report.html: cloud and grippers as the page's script takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "lib/geometry/camera.h"
#include "lib/geometry/grasp.h"

namespace grasppanda::run {

/// From where a scene is seen first; by default as its camera saw it.
struct SceneView {
  geometry::Vec3 forward{0, 0, 1}, up{0, -1, 0};
  geometry::Vec3 height{0, 0, -1};  // away from the table: colours of a cloud that has none
};
/// From before a table and above it; `up`: away from it, any length but 0.
SceneView table_view(const geometry::Vec3& up);

struct ReportScene {
  std::string json;        // one object, safe inside of a <script>
  std::size_t grasps = 0;  // that can be shown
};

/// `ply`: the file that write_ply made of the cloud and the first `drawn` (0: all) of `grasps`
/// (best first, in the frame of the file). Of more than 60000 points evenly many are taken. Throws
/// io::FormatError.
ReportScene report_scene(const std::filesystem::path& ply, std::span<const geometry::Grasp> grasps,
                         std::int64_t drawn, const SceneView& view);

}  // namespace grasppanda::run
