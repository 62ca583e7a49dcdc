// What every report.html has in common.
#pragma once

#include <string_view>

namespace grasppanda::run {

extern const std::string_view kReportStyle;   // CSS
extern const std::string_view kReportViewer;  // JavaScript: the views that can be turned

}  // namespace grasppanda::run
