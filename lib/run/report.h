// report.html: one page that shows a run and needs nothing besides itself.
#pragma once

#include <cstdint>

#include <string_view>

#include "lib/run/run_directory.h"
#include "lib/run/writer.h"

namespace grasppanda::run {

inline constexpr std::string_view kReportFormat = "html";  // as in output.formats

/// Is the report made of that writer's files?
bool report_needs(const WriterEntry& writer, bool detections);

struct ReportLimits {
  std::size_t inputs = 500;  // the page says how many it leaves out; summary.json holds all
  std::uint64_t embedded_bytes = std::uint64_t{96} << 20;  // later pictures and scenes are links
};

/// Every input with its picture, a view of cloud and grippers that can be turned, the best results,
/// counts, warnings and times; a table of all at the top. Made of summary.json, env.json,
/// predictions/NAME.json, pictures/NAME.png and ply/NAME.ply as they are in the run; what is not
/// there is left out. Throws io::FormatError.
void write_report(const RunDirectory& run, const ReportLimits& limits = {});

}  // namespace grasppanda::run
