// The conversation on stderr, and log.txt, which holds all of it, also what -q hid.
//
// errors "grasppanda: error: ...", warnings "grasppanda: warning: ...", information as it is,
// details (-v) "grasppanda: debug: ...". A message is one line; line feeds in it become spaces.
#pragma once

#include <filesystem>
#include <string_view>

namespace grasppanda::app {

enum class LogLevel { trace, debug, info, warning, error };

/// Sends messages to stderr: `verbosity` -2 errors, -1 warnings, 0 information, 1 debug, 2 trace.
void start_log(int verbosity, bool color);

/// Also writes every message, whatever the verbosity, to `file` (appended, with time and level).
/// May be called several times (`--log-file` and the run's log.txt). Throws io::FormatError when
/// the file cannot be written.
void add_log_file(const std::filesystem::path& file);
/// No more log files; they are complete on disk afterwards.
void close_log_files();

void log_message(LogLevel level, std::string_view message);
inline void log_error(std::string_view message) {
  log_message(LogLevel::error, message);
}
inline void log_info(std::string_view message) {
  log_message(LogLevel::info, message);
}
inline void log_debug(std::string_view message) {
  log_message(LogLevel::debug, message);
}

/// A warning that may come many times from one cause: the first of each `cause` is said at once,
/// the others are counted until `say_repeated_warnings`. Log files hold every one.
void log_warning(std::string_view message, std::string_view cause);
inline void log_warning(std::string_view message) {
  log_warning(message, message);
}
/// "... (41 more warnings of this kind)" for each cause that came again; then forgets all causes.
void say_repeated_warnings();

}  // namespace grasppanda::app
