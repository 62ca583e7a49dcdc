// What -h, --help and `help COMMAND` print: from the records, at most 79 columns.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/command.h"

namespace grasppanda::app {

/// `topic`: "" (the program), a group ("ops") or a command ("ops run").
std::string short_help(std::string_view topic);
std::string long_help(std::string_view topic);

/// "grasppanda 0.1.0 (commit)".
std::string version_line();

/// "-c, --config FILE".
std::string option_names(const OptionRecord& option);
/// "[config: runtime.device] [auto]": the key an option mirrors and its default, as far as there
/// are.
std::vector<std::string> option_marks(const OptionRecord& option);

struct ExitMeaning {
  ExitCode code;
  std::string_view meaning;
};
std::span<const ExitMeaning> exit_meanings();

/// Words of `text` in lines of at most `width`; every line but the first is indented.
std::string wrapped(std::string_view text, std::size_t width, std::size_t first_column,
                    std::size_t indent);

}  // namespace grasppanda::app
