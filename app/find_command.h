// Which command the words on the command line name.
#pragma once

#include <string>
#include <vector>

#include "app/parser.h"

namespace grasppanda::app {

struct FoundCommand {
  Wanted wanted = Wanted::command;
  std::string topic{};  // "", "ops", "ops run": whose help is wanted
  const CommandRecord* command = nullptr;
  std::vector<std::string> rest{};  // without the command's words, options before it moved behind
};

/// Throws UsageError for a word that is no command, with the nearest one.
FoundCommand find_command_in(const std::vector<std::string>& arguments);

}  // namespace grasppanda::app
