// argv -> what was asked for. Nothing is opened, started or guessed here.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/command.h"
#include "app/invocation.h"

namespace grasppanda::app {

enum class Wanted { command, short_help, long_help, version, nothing };

struct Parsed {
  Wanted wanted = Wanted::command;
  std::string topic;  // help: "", "ops", "ops run"
  const CommandRecord* command = nullptr;
  Invocation invocation;  // without config, colour and environment
  /// Options with values in the order typed ("--set", "a=1"), for the layers of the configuration.
  std::vector<std::pair<std::string, std::string>> ordered;
  std::string color_when = "auto";
  /// The command was asked for --json and has it; set as early as possible, also before an error.
  bool json = false;
};

/// `arguments` without the program's name. Fills `parsed` as far as it gets; throws UsageError.
void parse_command_line(const std::vector<std::string>& arguments, Parsed& parsed);

}  // namespace grasppanda::app
