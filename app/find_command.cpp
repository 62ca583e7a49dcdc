#include "app/find_command.h"

#include <algorithm>

#include "app/report_error.h"
#include "lib/config/config_error.h"
#include "lib/config/suggest.h"

namespace grasppanda::app {

namespace {

using config::printable;

bool is_group(std::string_view word) {
  const auto groups = command_groups();
  return std::any_of(groups.begin(), groups.end(),
                     [&](const CommandGroup& group) { return group.name == word; });
}

/// Does an option that stands before the command take the next word as its value?
bool takes_value(const std::string& option) {
  for (const CommandRecord& command : command_list())
    for (const OptionRecord& record : command.options)
      if (!record.is_switch() &&
          (option == record.name ||
           (record.letter != 0 && option == std::string("-") + record.letter)))
        return true;
  return false;
}

[[noreturn]] void refuse(const std::string& name, std::string_view group) {
  std::vector<std::string_view> names;
  if (group.empty()) {
    for (const CommandGroup& known : command_groups()) names.push_back(known.name);
    names.push_back("help");
  }
  for (const CommandRecord& command : command_list())
    if (!command.hidden) names.push_back(command.name);
  const std::string meant = config::did_you_mean(name, names);
  throw UsageError("unknown command '" + printable(name) + "'" +
                   (meant.empty() ? "; 'grasppanda -h' lists the commands" : meant));
}

/// The command that the first one or two words name; `used` says how many.
const CommandRecord* resolve(const std::vector<std::string>& words, std::size_t& used) {
  used = 1;
  if (const CommandRecord* command = find_command(words[0])) return command;
  if (!is_group(words[0])) refuse(words[0], "");
  if (words.size() < 2) return nullptr;
  used = 2;
  const std::string name = words[0] + " " + words[1];
  if (const CommandRecord* command = find_command(name)) return command;
  refuse(name, words[0]);
}

/// An option before any command that no command knows: `grasppanda --versio`.
void refuse_unknown_option(const std::vector<std::string>& leading) {
  std::vector<std::string_view> names;
  for (const CommandRecord& command : command_list())
    for (const OptionRecord& record : command.options)
      for (const std::string_view name : {record.name, record.negated})
        if (!name.empty()) names.push_back(name);
  for (const std::string& option : leading) {
    const std::string name = option.substr(0, option.find('='));
    if (!name.starts_with("--") || name == "--" || std::ranges::find(names, name) != names.end())
      continue;
    const std::string meant = config::did_you_mean(name, names);
    throw UsageError("unknown option '" + printable(name) + "'" +
                     (meant.empty() ? "; 'grasppanda -h' lists the commands" : meant));
  }
}

FoundCommand find_help(const std::vector<std::string>& words) {
  FoundCommand found{.wanted = Wanted::long_help};
  if (words.empty()) return found;
  std::size_t used = 0;
  found.command = resolve(words, used);
  if (words.size() > used)
    throw UsageError("help: wants one command, but got '" + printable(words[used]) + "' besides");
  found.topic = found.command != nullptr ? std::string(found.command->name) : words[0];
  return found;
}

}  // namespace

FoundCommand find_command_in(const std::vector<std::string>& arguments) {
  std::vector<std::string> leading, words;
  std::size_t at = 0;
  FoundCommand found;
  const auto answers = [&](const std::string& option) {
    if (option == "-h") found.wanted = Wanted::short_help;
    if (option == "--help") found.wanted = Wanted::long_help;
    if (option == "-V" || option == "--version") found.wanted = Wanted::version;
    return found.wanted != Wanted::command;
  };
  const auto skip_options = [&] {
    for (; at < arguments.size() && arguments[at].size() > 1 && arguments[at][0] == '-'; ++at) {
      if (answers(arguments[at])) return;
      leading.push_back(arguments[at]);
      if (takes_value(arguments[at]) && at + 1 < arguments.size())
        leading.push_back(arguments[++at]);
    }
  };
  skip_options();
  if (found.wanted != Wanted::command) return found;
  if (at == arguments.size()) {
    if (leading.empty()) return {.wanted = Wanted::nothing};
    refuse_unknown_option(leading);
    throw UsageError("no command given; 'grasppanda -h' lists the commands");
  }
  if (arguments[at] == "help") return find_help({arguments.begin() + at + 1, arguments.end()});

  words.push_back(arguments[at++]);
  if (is_group(words[0])) {
    skip_options();
    if (found.wanted != Wanted::command) {
      found.topic = words[0];
      return found;
    }
    if (at < arguments.size()) words.push_back(arguments[at++]);
  }
  std::size_t used = 0;
  found.command = resolve(words, used);
  if (found.command == nullptr) return {.wanted = Wanted::nothing, .topic = words[0]};
  found.topic = std::string(found.command->name);
  found.rest = std::move(leading);
  found.rest.insert(found.rest.end(), arguments.begin() + static_cast<std::ptrdiff_t>(at),
                    arguments.end());
  return found;
}

}  // namespace grasppanda::app
