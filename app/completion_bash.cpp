#include "app/completion.h"

namespace grasppanda::app {

namespace {

// Bash splits words at '=', so a `--set KEY=VALUE` that is being typed is up to four words.
constexpr const char* kHead =
    R"(# bash completion of grasppanda: source <(grasppanda completion bash)
_grasppanda_words() { mapfile -t COMPREPLY < <(compgen -W "$1" -- "$cur"); }
_grasppanda_files() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -f -- "$cur")
}
_grasppanda_folders() {
  compopt -o filenames 2>/dev/null
  mapfile -t COMPREPLY < <(compgen -d -- "$cur")
}
)";

constexpr const char* kFindCommand = R"(_grasppanda() {
  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} command= i
  COMPREPLY=()
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$command:${COMP_WORDS[i]}" in
)";

constexpr const char* kSetValues = R"(    esac
  done
  if [[ $cur == '=' && $COMP_CWORD -ge 3 && ${COMP_WORDS[COMP_CWORD - 2]} == --set ]]; then
    cur= && _grasppanda_values "$prev"
    return
  fi
  if [[ $prev == '=' && $COMP_CWORD -ge 4 && ${COMP_WORDS[COMP_CWORD - 3]} == --set ]]; then
    _grasppanda_values "${COMP_WORDS[COMP_CWORD - 2]}"
    return
  fi
  if [[ $cur == '=' ]]; then
    cur=
  elif [[ $prev == '=' && $COMP_CWORD -ge 2 ]]; then
    prev=${COMP_WORDS[COMP_CWORD - 2]}
  fi
)";

std::string offer(Offers offers, const std::vector<std::string_view>& choices) {
  if (!choices.empty())
    return "_grasppanda_words '" + joined_words({choices.begin(), choices.end()}) + "'";
  switch (offers) {
    case Offers::files:
    case Offers::configs:
      return "_grasppanda_files";
    case Offers::folders:
      return "_grasppanda_folders";
    case Offers::keys:
      return "compopt -o nospace 2>/dev/null; _grasppanda_words \"$keys\"";
    case Offers::operators:
      return "_grasppanda_words '" + joined_words(operator_words()) + "'";
    case Offers::nothing:
      break;
  }
  return ":";
}

std::string command_case(const CommandRecord& command) {
  std::string text = "    '" + std::string(command.name) + "')\n      case \"$prev\" in\n";
  for (const OptionRecord& option : command.options) {
    if (option.is_switch()) continue;
    std::string names(option.name);
    if (option.letter != 0) names += std::string("|-") + option.letter;
    text += "        " + names + ") " + offer(option.offers, option.choices) + "; return ;;\n";
  }
  text += "      esac\n      case \"$cur\" in\n        -*) _grasppanda_words '" +
          joined_words(option_words(command)) + "' ;;\n";
  if (!command.arguments.empty()) {
    const ArgumentRecord& argument = command.arguments.front();
    text += "        *) " + offer(argument.offers, argument.choices) + " ;;\n";
  }
  return text + "      esac ;;\n";
}

}  // namespace

std::string bash_completion() {
  std::string text = kHead;
  text += "_grasppanda_values() {\n  case \"$1\" in\n";
  std::string keys;
  for (const KeyOffer& key : key_offers()) {
    keys += (keys.empty() ? "" : " ") + key.key + "=";
    if (!key.values.empty())
      text += "    " + key.key + ") _grasppanda_words '" + joined_words(key.values) + "' ;;\n";
  }
  text += "  esac\n}\n";
  text += kFindCommand;
  for (const std::string& word : first_words())
    text += "      :" + word + ") command=" + word + " ;;\n";
  for (const CommandGroup& group : command_groups())
    for (const std::string& word : second_words(group.name))
      text += "      " + std::string(group.name) + ":" + word + ") command='" +
              std::string(group.name) + " " + word + "' ;;\n";
  text += kSetValues;
  text += "  local keys='" + keys + "'\n  case \"$command\" in\n    '') _grasppanda_words '" +
          joined_words(first_words()) + " --help --version' ;;\n    help) _grasppanda_words '" +
          joined_words(first_words()) + "' ;;\n";
  for (const CommandGroup& group : command_groups())
    text += "    " + std::string(group.name) + ") _grasppanda_words '" +
            joined_words(second_words(group.name)) + "' ;;\n";
  for (const CommandRecord& command : command_list())
    if (!command.hidden) text += command_case(command);
  return text + "  esac\n}\ncomplete -F _grasppanda grasppanda\n";
}

}  // namespace grasppanda::app
