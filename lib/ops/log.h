// Where the ops room says what it cannot return: a kernel that failed its self-check, a fallback.
#pragma once

#include <functional>
#include <string_view>

namespace grasppanda::ops {

/// Receives one line, without a line end. May be called from any thread, one call at a time.
using LogSink = std::function<void(std::string_view line)>;

/// Replaces the sink of the process; an empty one (the default) drops the lines. Returns the old.
LogSink set_log_sink(LogSink sink);

void log_line(std::string_view line);

}  // namespace grasppanda::ops
