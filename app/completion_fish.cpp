#include "app/completion.h"

namespace grasppanda::app {

namespace {

std::string shell_text(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') out += '\\';
    out += c;
  }
  return out + "'";
}

/// True while this command is the one on the line.
std::string condition(std::string_view command) {
  std::string text;
  for (std::size_t begin = 0; begin < command.size();) {
    const std::size_t end = std::min(command.find(' ', begin), command.size());
    text += (text.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") +
            std::string(command.substr(begin, end - begin));
    begin = end + 1;
  }
  return shell_text(text);
}

std::string values(Offers offers, const std::vector<std::string_view>& choices) {
  if (!choices.empty())
    return " -f -a " + shell_text(joined_words({choices.begin(), choices.end()}));
  switch (offers) {
    case Offers::files:
    case Offers::configs:
      return " -F";
    case Offers::folders:
      return " -f -a '(__fish_complete_directories)'";
    case Offers::operators:
      return " -f -a " + shell_text(joined_words(operator_words()));
    case Offers::keys: {
      std::string keys;
      for (const KeyOffer& key : key_offers()) {
        keys += (keys.empty() ? "" : " ") + key.key + "=";
        for (const std::string& value : key.values) keys += " " + key.key + "=" + value;
      }
      return " -f -a " + shell_text(keys);
    }
    case Offers::nothing:
      break;
  }
  return " -f";
}

std::string option_line(const CommandRecord& command, const OptionRecord& option) {
  std::string text = "complete -c grasppanda -n " + condition(command.name) + " -l " +
                     std::string(option.name.substr(2));
  if (option.letter != 0) text += std::string(" -s ") + option.letter;
  if (!option.is_switch()) text += " -r" + values(option.offers, option.choices);
  return text + " -d " + shell_text(option.help) + "\n";
}

}  // namespace

std::string fish_completion() {
  std::string text = "complete -c grasppanda -f\n";
  for (const CommandRecord& command : command_list()) {
    if (command.hidden || command.name.find(' ') != std::string_view::npos) continue;
    text += "complete -c grasppanda -n __fish_use_subcommand -a " + std::string(command.name) +
            " -d " + shell_text(command.help) + "\n";
  }
  text += "complete -c grasppanda -n __fish_use_subcommand -a help -d 'help on a command'\n";
  text += "complete -c grasppanda -n '__fish_seen_subcommand_from help' -a " +
          shell_text(joined_words(first_words())) + "\n";
  for (const CommandGroup& group : command_groups()) {
    const std::string name(group.name), seconds = joined_words(second_words(group.name));
    text += "complete -c grasppanda -n __fish_use_subcommand -a " + name + " -d " +
            shell_text(group.help) + "\n";
    text += "complete -c grasppanda -n '__fish_seen_subcommand_from " + name +
            "; and not __fish_seen_subcommand_from " + seconds + "' -a " + shell_text(seconds) +
            "\n";
  }
  for (const CommandRecord& command : command_list()) {
    if (command.hidden) continue;
    for (const OptionRecord& option : command.options) {
      text += option_line(command, option);
      if (!option.negated.empty())
        text += "complete -c grasppanda -n " + condition(command.name) + " -l " +
                std::string(option.negated.substr(2)) + " -d " +
                shell_text("takes " + std::string(option.name) + " back") + "\n";
    }
    for (const ArgumentRecord& argument : command.arguments)
      text += "complete -c grasppanda -n " + condition(command.name) +
              values(argument.offers, argument.choices) + "\n";
  }
  return text;
}

}  // namespace grasppanda::app
