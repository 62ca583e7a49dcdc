// The records that the parser, the help, the completion and docs/cli.md are made from.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "app/exit_code.h"
#include "app/invocation.h"

namespace grasppanda::app {

/// What an option is about; the order of the help.
enum class Group { in, how, out, logging };

/// What the shell offers in place of a value.
enum class Offers { nothing, files, folders, configs, keys, operators };

struct OptionRecord {
  std::string_view name;     // "--config"
  char letter = 0;           // 'c'; 0: none
  std::string_view value{};  // "FILE"; empty: a switch
  Group group = Group::how;
  std::string_view help;                    // one line
  std::string_view more{};                  // what --help says besides
  std::string_view negated{};               // switch: the name that takes it back
  std::string_view key{};                   // configuration key that it mirrors
  std::string_view fallback{};              // default, where no key has one
  std::vector<std::string_view> choices{};  // the only values, unless `open_choices`
  bool open_choices = false;
  bool repeatable = false;
  std::int64_t least = kNoNumber;  // a whole number of at least this
  Offers offers = Offers::nothing;

  static constexpr std::int64_t kNoNumber = INT64_MIN;
  bool is_switch() const { return value.empty(); }
};

struct ArgumentRecord {
  std::string_view name;    // "INPUT"
  int least = 1, most = 1;  // how many; most < 0: any number
  std::string_view help;
  std::vector<std::string_view> choices{};
  Offers offers = Offers::files;
};

enum class ConfigFrom {
  nowhere,
  option,
  required_option,
  argument,
  run_argument  // config.yaml of the run directory that the first argument names
};

struct CommandRecord {
  std::string_view name;         // "ops run"
  std::string_view usage;        // behind the name: "-c CONFIG [INPUT...] [options]"
  std::string_view help;         // one line, for the list of commands
  std::string_view description;  // first lines of its own help
  std::vector<ArgumentRecord> arguments{};
  std::vector<OptionRecord> options{};
  std::vector<std::string_view> examples{};
  std::string_view json_schema{};  // "grasppanda.env/1": the command has --json
  ConfigFrom config = ConfigFrom::nowhere;
  /// nullptr: the body is in libgrasppanda.so.
  ExitCode (*run)(const Invocation& invocation) = nullptr;
  /// What the records cannot say about options that need or exclude each other; throws UsageError.
  void (*check)(const Invocation& invocation) = nullptr;
  bool takes_anything = false;  // `train`: whatever stands behind it is not looked at
  bool hidden = false;          // for the developers' scripts: not in help, completion
};

/// THE list, in the order shown to users.
std::span<const CommandRecord> command_list();
const CommandRecord* find_command(std::string_view name);
/// First words that only group commands ("ops"), with what they are about.
struct CommandGroup {
  std::string_view name, help;
};
std::span<const CommandGroup> command_groups();

/// Options that come with a later version.
std::span<const std::string_view> later_options();

}  // namespace grasppanda::app
