#include "app/log.h"

#include <fstream>
#include <regex>

#include "app/interrupt.h"
#include "app/report_error.h"
#include "app/terminal.h"
#include "lib/config/config_error.h"
#include "lib/io/format_error.h"
#include "lib/ops/errors.h"
#include "models/checkpoint_error.h"
#include "tests/catch.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {

namespace {

/// Lines of a log file without the time in front, which is checked for its form.
std::vector<std::string> log_lines(const std::filesystem::path& file) {
  const std::regex form(R"((\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}) (\w+ .*))");
  std::vector<std::string> lines;
  std::ifstream stream(file);
  for (std::string line; std::getline(stream, line);) {
    std::smatch parts;
    REQUIRE(std::regex_match(line, parts, form));
    lines.push_back(parts[2]);
  }
  return lines;
}

}  // namespace

TEST_CASE("a log file holds everything, also what came before it and what -q hides", "[cli]") {
  const ScratchFolder folder;
  app::start_log(-2, false);
  app::log_info("before");
  app::add_log_file(folder.path() / "a.txt");
  app::log_debug("a detail");
  app::log_warning("two\nlines");
  app::log_warning("depth of a.png", "depth");
  app::add_log_file(folder.path() / "b.txt");
  app::log_warning("depth of b.png", "depth");
  app::log_warning("depth of c.png", "depth");
  app::say_repeated_warnings();
  app::close_log_files();
  app::log_info("after");
  const auto lines = log_lines(folder.path() / "a.txt");
  const auto start = std::find(lines.begin(), lines.end(), "info before");
  CHECK(std::vector<std::string>(start, lines.end()) ==
        std::vector<std::string>{"info before", "debug a detail", "warning two lines",
                                 "warning depth of a.png", "warning depth of b.png",
                                 "warning depth of c.png",
                                 "warning depth of a.png (2 more warnings of this kind)"});
  CHECK(log_lines(folder.path() / "b.txt") == lines);
}

TEST_CASE("each kind of error has its exit status", "[cli]") {
  const auto status = [](const auto& error) {
    return static_cast<int>(app::describe_error(std::make_exception_ptr(error)).status);
  };
  CHECK(status(app::UsageError("x")) == 2);
  CHECK(status(config::ConfigError(std::vector<config::Problem>{{"f", 1, 2, "x"}})) == 2);
  CHECK(status(ops::ArgumentError("x")) == 2);
  CHECK(status(io::FormatError("x")) == 3);
  CHECK(status(models::CheckpointError("x")) == 3);
  CHECK(status(models::InputError("x")) == 3);
  CHECK(status(app::LibraryError("x")) == 3);
  CHECK(status(ops::BackendError("x")) == 4);
  CHECK(status(std::bad_alloc()) == 70);
  CHECK(status(std::logic_error("x")) == 70);
  CHECK(status(3) == 70);
  CHECK_THAT(app::describe_error(std::make_exception_ptr(std::logic_error("odd"))).message,
             Catch::Matchers::Contains("log.txt") && Catch::Matchers::EndsWith(": odd"));
  // What LibTorch throws brings a stack trace along.
  CHECK_THAT(app::describe_error(std::make_exception_ptr(std::runtime_error(
                                     "sizes differ\nException raised from f at f.cpp:1\nframe")))
                 .message,
             Catch::Matchers::EndsWith(": sizes differ"));
  CHECK_THAT(app::describe_error(std::make_exception_ptr(std::runtime_error(
                                     "[enforce fail at alloc_cpu.cpp:127] err == 0. "
                                     "DefaultCPUAllocator: can't allocate memory: you tried")))
                 .message,
             Catch::Matchers::StartsWith("out of memory"));
}

TEST_CASE("colour is a choice, a terminal and two variables", "[cli]") {
  using app::ColorChoice;
  using app::use_color;
  CHECK(use_color(ColorChoice::automatic, true, false, "xterm"));
  CHECK_FALSE(use_color(ColorChoice::automatic, false, false, "xterm"));
  CHECK_FALSE(use_color(ColorChoice::automatic, true, true, "xterm"));
  CHECK_FALSE(use_color(ColorChoice::automatic, true, false, "dumb"));
  CHECK(use_color(ColorChoice::always, false, true, "dumb"));
  CHECK_FALSE(use_color(ColorChoice::never, true, false, "xterm"));
}

}  // namespace grasppanda::tests
