#include "app/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "app/terminal.h"
#include "lib/io/format_error.h"

namespace grasppanda::app {

namespace {

constexpr std::size_t kMostEarlyMessages = 1000;  // kept for a log file that is opened later

/// "grasppanda: warning: " in front of a message on stderr; information stands by itself.
class LevelPrefix final : public spdlog::custom_flag_formatter {
 public:
  explicit LevelPrefix(bool color) : color_(color) {}

  void format(const spdlog::details::log_msg& message, const std::tm&,
              spdlog::memory_buf_t& out) override {
    const char *word = nullptr, *paint = "";
    switch (message.level) {
      case spdlog::level::err:
        word = "error", paint = "\033[1;31m";
        break;
      case spdlog::level::warn:
        word = "warning", paint = "\033[1;33m";
        break;
      case spdlog::level::debug:
        word = "debug", paint = "\033[2m";
        break;
      case spdlog::level::trace:
        word = "trace", paint = "\033[2m";
        break;
      default:
        return;
    }
    const std::string text = color_ ? std::string("grasppanda: ") + paint + word + "\033[0m: "
                                    : std::string("grasppanda: ") + word + ": ";
    out.append(text.data(), text.data() + text.size());
  }

  std::unique_ptr<custom_flag_formatter> clone() const override {
    return std::make_unique<LevelPrefix>(color_);
  }

 private:
  bool color_;
};

spdlog::level::level_enum spdlog_level(LogLevel level) {
  switch (level) {
    case LogLevel::trace:
      return spdlog::level::trace;
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
  }
  return spdlog::level::info;
}

struct Log {
  std::mutex mutex;
  std::shared_ptr<spdlog::logger> screen, files;
  std::vector<std::pair<LogLevel, std::string>> early;
  std::map<std::string, std::pair<std::string, int>, std::less<>> warnings;  // cause -> text, count
};

Log& the_log() {
  static Log log;
  return log;
}

void write(Log& log, LogLevel level, const std::string& text, bool on_screen) {
  if (on_screen && log.screen && log.screen->should_log(spdlog_level(level))) {
    wipe_progress_line();
    log.screen->log(spdlog_level(level), spdlog::string_view_t(text));
  }
  if (log.files) log.files->log(spdlog_level(level), spdlog::string_view_t(text));
  if (log.early.size() < kMostEarlyMessages) log.early.emplace_back(level, text);
}

std::string one_line(std::string_view message) {
  std::string text(message);
  std::replace_if(
      text.begin(), text.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return text;
}

}  // namespace

void start_log(int verbosity, bool color) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  auto formatter = std::make_unique<spdlog::pattern_formatter>();
  formatter->add_flag<LevelPrefix>('*', color).set_pattern("%*%v");
  auto sink = std::make_shared<spdlog::sinks::stderr_sink_mt>();
  sink->set_formatter(std::move(formatter));
  log.screen = std::make_shared<spdlog::logger>("grasppanda", std::move(sink));
  constexpr spdlog::level::level_enum levels[] = {spdlog::level::err, spdlog::level::warn,
                                                  spdlog::level::info, spdlog::level::debug,
                                                  spdlog::level::trace};
  log.screen->set_level(levels[std::clamp(verbosity, -2, 2) + 2]);
  // spdlog's own default logger writes to stdout, which belongs to the answer.
  spdlog::set_default_logger(log.screen);
}

void add_log_file(const std::filesystem::path& file) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  try {
    auto sink = std::make_shared<spdlog::sinks::basic_file_sink_mt>(file.string());
    sink->set_pattern("%Y-%m-%dT%H:%M:%S.%e %l %v");
    spdlog::logger replay("early", sink);
    replay.set_level(spdlog::level::trace);
    for (const auto& [level, text] : log.early)
      replay.log(spdlog_level(level), spdlog::string_view_t(text));
    if (!log.files) {
      log.files = std::make_shared<spdlog::logger>("files");
      log.files->set_level(spdlog::level::trace);
      log.files->flush_on(spdlog::level::info);
    }
    log.files->sinks().push_back(std::move(sink));
  } catch (const spdlog::spdlog_ex&) {
    // Its message names the file once more and the function that failed; the cause is enough.
    errno = 0;
    const std::ofstream again(file, std::ios::app);
    throw io::FormatError("log file " + file.string() + " cannot be written" +
                          (again || errno == 0 ? "" : std::string(": ") + std::strerror(errno)));
  }
}

void close_log_files() {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  if (log.files) log.files->flush();
  log.files.reset();
}

void log_message(LogLevel level, std::string_view message) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  write(log, level, one_line(message), true);
}

void log_warning(std::string_view message, std::string_view cause) {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  const std::string text = one_line(message);
  const auto [entry, first] = log.warnings.try_emplace(std::string(cause), text, 0);
  ++entry->second.second;
  write(log, LogLevel::warning, text, first);
}

void say_repeated_warnings() {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  for (const auto& [cause, said] : log.warnings) {
    const int again = said.second - 1;
    if (again > 0)
      write(log, LogLevel::warning,
            said.first + " (" + std::to_string(again) + " more warning" + (again > 1 ? "s" : "") +
                " of this kind)",
            true);
  }
  log.warnings.clear();
}

}  // namespace grasppanda::app
