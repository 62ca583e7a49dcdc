// The small program: parse, configure, run; errors become exit statuses in app/report_error.cpp.
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdio>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

#include "app/config_layers.h"
#include "app/environment_variables.h"
#include "app/help.h"
#include "app/interrupt.h"
#include "app/library.h"
#include "app/log.h"
#include "app/parser.h"
#include "app/report_error.h"
#include "app/terminal.h"

namespace grasppanda::app {

namespace {

/// A closed standard stream would give its number to the next file that is opened.
void open_standard_streams() {
  for (int fd = open("/dev/null", O_RDWR); fd >= 0; fd = open("/dev/null", O_RDWR))
    if (fd > STDERR_FILENO) {
      close(fd);
      return;
    }
}

bool wants_color(const Invocation& invocation, const std::string& when) {
  const auto& environment = invocation.environment;
  const auto no_color = environment.find("NO_COLOR");
  const auto term = environment.find("TERM");
  const ColorChoice choice = when == "always"  ? ColorChoice::always
                             : when == "never" ? ColorChoice::never
                                               : ColorChoice::automatic;
  return use_color(choice, stderr_is_terminal(),
                   no_color != environment.end() && !no_color->second.empty(),
                   term == environment.end() ? "" : term->second);
}

/// The word of --color as far as it can be told before parsing, for messages about the parsing.
std::string color_word(const std::vector<std::string>& command_line) {
  std::string when = "auto";
  for (std::size_t i = 1; i < command_line.size(); ++i)
    for (const char* word : {"auto", "always", "never"})
      if (command_line[i] == std::string("--color=") + word ||
          (command_line[i - 1] == "--color" && command_line[i] == word))
        when = word;
  return when;
}

ExitCode run(Parsed& parsed) {
  switch (parsed.wanted) {
    case Wanted::nothing:
      std::cerr << short_help(parsed.topic);
      return ExitCode::usage;
    case Wanted::short_help:
      std::cout << short_help(parsed.topic);
      return ExitCode::done;
    case Wanted::long_help:
      std::cout << long_help(parsed.topic);
      return ExitCode::done;
    case Wanted::version:
      std::cout << version_line();
      return ExitCode::done;
    case Wanted::command:
      break;
  }
  resolve_config(parsed);
  if (parsed.command->run == nullptr) return run_in_library(parsed.invocation);
  if (parsed.invocation.has("--log-file")) add_log_file(parsed.invocation.value("--log-file"));
  for (const std::string& warning : parsed.invocation.config_warnings) log_warning(warning);
  return parsed.command->run(parsed.invocation);
}

/// Whoever reads standard output may stop reading (`| head`); a full disk is an error.
ExitCode finish_output(ExitCode status) {
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::ferror(stdout) == 0 && std::cout.good()) return status;
  pollfd out{STDOUT_FILENO, POLLOUT, 0};
  if (poll(&out, 1, 0) == 1 && (out.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0) return status;
  log_error("standard output cannot be written; is the disk full?");
  return status == ExitCode::done ? ExitCode::unusable_input : status;
}

ExitCode main_with(const std::vector<std::string>& command_line) {
  Parsed parsed;
  parsed.invocation.command_line = command_line;
  ExitCode status = ExitCode::internal;
  try {
    parsed.invocation.environment = read_environment();
    start_log(0, wants_color(parsed.invocation, color_word(command_line)));
    parse_command_line({command_line.begin() + 1, command_line.end()}, parsed);
    parsed.invocation.color = wants_color(parsed.invocation, parsed.color_when);
    if (parsed.invocation.verbosity < 0) parsed.invocation.progress = false;
    start_log(parsed.invocation.verbosity, parsed.invocation.color);
    status = run(parsed);
  } catch (...) {
    const bool json = parsed.json && parsed.command != nullptr;
    status = report_error(std::current_exception(), json ? parsed.command->json_schema : "");
  }
  return finish_output(status);
}

}  // namespace

}  // namespace grasppanda::app

int main(int argc, char** argv) {
  using namespace grasppanda::app;
  open_standard_streams();
  signal(SIGPIPE, SIG_IGN);
  handle_interrupts(OnInterrupt::end_at_once);
  std::vector<std::string> command_line(argv, argv + argc);
  if (command_line.empty()) command_line.emplace_back("grasppanda");
  return static_cast<int>(main_with(command_line));
}
