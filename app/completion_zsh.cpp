#include "app/completion.h"

namespace grasppanda::app {

namespace {

/// Text inside '...[text]...' of an _arguments specification.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\'')
      out += "'\\''";
    else if (c == '[' || c == ']' || c == ':' || c == '\\')
      out += {'\\', c};
    else
      out += c;
  }
  return out;
}

std::string action(Offers offers, const std::vector<std::string_view>& choices) {
  if (!choices.empty()) return "(" + joined_words({choices.begin(), choices.end()}) + ")";
  switch (offers) {
    case Offers::files:
      return "_files";
    case Offers::configs:
      return "_files -g \"*.(yaml|yml)\"";
    case Offers::folders:
      return "_files -/";
    case Offers::keys:
      return "_grasppanda_keys";
    case Offers::operators:
      return "(" + joined_words(operator_words()) + ")";
    case Offers::nothing:
      break;
  }
  return " ";
}

std::string specification(const OptionRecord& option) {
  std::string tail = "[" + escaped(option.help) + "]";
  if (!option.is_switch())
    tail += ":" + escaped(option.value) + ":" + action(option.offers, option.choices);
  const std::string star = option.repeatable ? "*" : "";
  std::string text = "        '" + star + std::string(option.name) + tail + "'";
  if (option.letter != 0) text += " '" + star + "-" + option.letter + tail + "'";
  if (!option.negated.empty())
    text += " '" + std::string(option.negated) + "[takes " + std::string(option.name) + " back]'";
  return text + " \\\n";
}

std::string command_case(const CommandRecord& command) {
  std::string text = "    '" + std::string(command.name) + "')\n      _arguments -s \\\n";
  for (const OptionRecord& option : command.options) text += specification(option);
  for (const ArgumentRecord& argument : command.arguments)
    text += "        '" + std::string(argument.most < 0 ? "*" : "") + ":" + escaped(argument.name) +
            ":" + action(argument.offers, argument.choices) + "' \\\n";
  return text + "        && return ;;\n";
}

constexpr const char* kFindCommand = R"(_grasppanda() {
  local command= word
  integer i used=1
  for ((i = 2; i < CURRENT; i++)); do
    case "$command:${words[i]}" in
)";

}  // namespace

std::string zsh_completion() {
  std::string text = "#compdef grasppanda\n_grasppanda_keys() {\n  local -a keys=(";
  for (const KeyOffer& key : key_offers()) text += key.key + "= ";
  text += ")\n  compadd -S '' -a keys\n}\n";
  text += kFindCommand;
  for (const std::string& word : first_words())
    text += "      :" + word + ") command=" + word + "; used=$i ;;\n";
  for (const CommandGroup& group : command_groups())
    for (const std::string& word : second_words(group.name))
      text += "      " + std::string(group.name) + ":" + word + ") command='" +
              std::string(group.name) + " " + word + "'; used=$i ;;\n";
  text +=
      "    esac\n  done\n  words=(grasppanda \"${(@)words[used + 1, -1]}\")\n"
      "  (( CURRENT -= used - 1 ))\n  case \"$command\" in\n    ''|help) compadd " +
      joined_words(first_words()) + " ;;\n";
  for (const CommandGroup& group : command_groups())
    text += "    " + std::string(group.name) + ") compadd " +
            joined_words(second_words(group.name)) + " ;;\n";
  for (const CommandRecord& command : command_list())
    if (!command.hidden) text += command_case(command);
  return text + "  esac\n}\n" +
         "if [[ $funcstack[1] == _grasppanda ]]; then\n  _grasppanda \"$@\"\nelse\n"
         "  compdef _grasppanda grasppanda\nfi\n";
}

}  // namespace grasppanda::app
