// What was typed, checked by the parser and without side effects: what crosses from the small
// program into libgrasppanda.so.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lib/config/config.h"

namespace grasppanda::app {

/// Options are filed under their long name ("--config" also when `-c` was typed). A switch that was
/// taken back (`--dry-run --no-dry-run`) is not there. `--quiet`, `--verbose`, `--progress` and the
/// words of `--color` are not in `options` but in the fields below: `--color FILE` (the colour
/// image of `--depth FILE`) is. Options that mirror a configuration key are in both `options` and
/// `config`; use `config`.
struct Invocation {
  std::string command;                                      // "infer", "ops run"
  std::map<std::string, std::vector<std::string>> options;  // "--set" -> its values; a switch -> {}
  std::vector<std::string> arguments;                       // positionals, in order
  std::vector<std::string> command_line;                    // argv as typed
  std::map<std::string, std::string> environment;  // GRASPPANDA_*, HOME, ... as read by app
  std::optional<config::Config> config;            // resolved, for commands with -c
  std::vector<std::string> config_warnings;        // said by whoever runs the command
  int verbosity = 0;                               // -2 (-qq) .. 2 (-vv)
  bool color = false;                              // stderr takes escape sequences
  bool progress = false;                           // progress is wanted (app/terminal.h)

  bool has(std::string_view option) const { return options.contains(std::string(option)); }
  /// Last value of an option, or `fallback`.
  std::string value(std::string_view option, std::string fallback = {}) const {
    auto found = options.find(std::string(option));
    return found == options.end() || found->second.empty() ? std::move(fallback)
                                                           : found->second.back();
  }
  /// All values of a repeatable option, in order.
  std::vector<std::string> all(std::string_view option) const {
    auto found = options.find(std::string(option));
    return found == options.end() ? std::vector<std::string>{} : found->second;
  }
};

}  // namespace grasppanda::app
