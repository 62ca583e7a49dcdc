// report.html: one page that shows a run and needs nothing besides itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <string>

#include <string_view>

#include "lib/run/writer.h"

namespace grasppanda::run {

inline constexpr std::string_view kReportFormat = "html";  // as in output.formats

/// Is the report made of that writer's files?
bool report_needs(const WriterEntry& writer, bool detections);

struct ReportOptions {
  std::size_t inputs = 500;  // the page says how many it leaves out; summary.json holds all
  std::uint64_t embedded_bytes = std::uint64_t{96} << 20;  // later pictures and scenes are links
  std::int64_t drawn = 50;                                 // as GraspResult has it
  double least_score = -std::numeric_limits<double>::infinity();  // lower ones are not shown
  geometry::Vec3 up{0, 0, -1};  // as GraspResult has it: of clouds that come without a camera
  std::map<std::string, std::string> failures{};  // inputs that could not be drawn: name -> why
};

/// Every input with its picture, a view of cloud and grippers that can be turned, the best results,
/// counts, warnings and times; a table of all at the top. Made of summary.json, env.json and
/// predictions/NAME.json as they are in `run`, and pictures/NAME.png and ply/NAME.ply as they are
/// in `drawn`, the run itself or a folder of pictures that were drawn anew; what is not there is
/// left out. The page stands in `drawn`. Throws io::FormatError.
void write_report(const std::filesystem::path& run, const std::filesystem::path& drawn,
                  const ReportOptions& options = {});

}  // namespace grasppanda::run
