// One input's part of report.html.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/geometry/grasp.h"
#include "lib/run/input_record.h"
#include "lib/run/report_scene.h"

namespace grasppanda::run {

/// What predictions/NAME.json holds, as far as the page shows it; best first.
struct ReportResults {
  std::vector<double> scores;
  std::vector<geometry::Grasp> grasps;  // of grasps
  std::vector<std::string> classes;     // of detections: one each
  bool in_base_frame = false;           // of the robot: z up
};

struct ReportEntry {
  const InputRecord* record = nullptr;
  std::string anchor;                      // unique on the page
  std::optional<ReportResults> results{};  // none: no JSON was written
  SceneView view{};
};

/// Throws io::FormatError for a file that is none of ours.
std::optional<ReportResults> read_results(const std::filesystem::path& run,
                                          const InputRecord& record, double least_score);

/// The section. `folder`: where pictures and meshes are, of `drawn` grasps each. `left`: bytes that
/// may still be embedded; what is embedded is taken off, what is too large becomes a link. Throws
/// io::FormatError.
std::string section_html(const std::filesystem::path& folder, const ReportEntry& entry,
                         std::int64_t drawn, std::uint64_t& left);

std::string status_html(const InputRecord& record);
/// Text with the characters that mean something in HTML replaced.
std::string html(std::string_view text);
std::string decimal(double value, int digits);

}  // namespace grasppanda::run
