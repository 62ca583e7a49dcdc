// Shell completion, from the lists of commands, options and configuration keys.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/command.h"
#include "app/exit_code.h"
#include "app/invocation.h"

namespace grasppanda::app {

std::string bash_completion();
std::string zsh_completion();
std::string fish_completion();

/// `completion SHELL`.
ExitCode run_completion(const Invocation& invocation);

/// Words joined by blanks.
std::string joined_words(const std::vector<std::string>& words);
/// First words: commands that stand alone, groups, help.
std::vector<std::string> first_words();
/// Second words of a group: "run" of "ops run".
std::vector<std::string> second_words(std::string_view group);
/// All names of a command's options, negated forms and letters included.
std::vector<std::string> option_words(const CommandRecord& command);

struct KeyOffer {
  std::string key;                  // "runtime.ops.fps"
  std::vector<std::string> values;  // its words; true and false
};
/// The configuration keys of every model of this version.
std::vector<KeyOffer> key_offers();
/// Names that `ops run` takes.
std::vector<std::string> operator_words();

}  // namespace grasppanda::app
