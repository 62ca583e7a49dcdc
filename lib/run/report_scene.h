// The 3-D view of one input in report.html: cloud and grippers as the page's script takes them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "lib/geometry/grasp.h"

namespace grasppanda::run {

enum class SceneFrame { camera, base };  // whose axes: z forward and y down, or z up

struct ReportScene {
  std::string json;        // one object, safe inside of a <script>
  std::size_t grasps = 0;  // that can be shown
};

/// `ply`: the file that write_ply made of the cloud and the first `drawn` (0: all) of `grasps`
/// (best first, in the frame of the file). Of more than 60000 points evenly many are taken. Throws
/// io::FormatError.
ReportScene report_scene(const std::filesystem::path& ply, std::span<const geometry::Grasp> grasps,
                         std::int64_t drawn, SceneFrame frame);

}  // namespace grasppanda::run
