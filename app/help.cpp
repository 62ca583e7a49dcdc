#include "app/help.h"

#include <algorithm>
#include <array>

#include "app/config_keys.h"
#include "lib/ops/operator_names.h"
#include "lib/run/build_info.h"

namespace grasppanda::app {

namespace {

constexpr std::size_t kWidth = 79;
constexpr std::size_t kWidestNames = 27;  // wider ones push their help to the next line
constexpr std::size_t kColumnOfSummaries = 32;
constexpr char kNoBreak = '\x01';  // a space that must not be broken

struct Heading {
  Group group;
  std::string_view text;
};
constexpr std::array<Heading, 4> kHeadings = {{{Group::in, "What goes in:"},
                                               {Group::how, "How it runs:"},
                                               {Group::out, "What comes out:"},
                                               {Group::logging, "What it says:"}}};

constexpr std::array<ExitMeaning, 7> kExitMeanings = {
    {{ExitCode::done, "done; an empty result is a result"},
     {ExitCode::some_inputs_failed, "done, but some inputs failed; see failures.jsonl"},
     {ExitCode::usage, "wrong command line or configuration; nothing was run"},
     {ExitCode::unusable_input,
      "input that cannot be used: checkpoint, data set, every frame bad; or libgrasppanda.so "
      "cannot be opened"},
     {ExitCode::not_available, "a device or backend that was asked for by name is not available"},
     {ExitCode::internal, "a fault of this program"},
     {ExitCode::interrupted, "interrupted; finished frames are kept"}}};

std::string padded(std::string text, std::size_t width) {
  text.resize(std::max(text.size(), width), ' ');
  return text;
}

/// One row: names on the left, words on the right.
std::string row(const std::string& names, const std::string& words, std::size_t column) {
  std::string left = "  " + names;
  if (words.empty()) return left + "\n";
  if (left.size() + 2 > column)
    left += "\n" + std::string(column, ' ');
  else
    left = padded(left, column);
  return left + wrapped(words, kWidth, column, column) + "\n";
}

std::size_t column_for(const std::vector<std::string>& names) {
  std::size_t widest = 0;
  for (const std::string& name : names)
    if (name.size() <= kWidestNames) widest = std::max(widest, name.size());
  return 2 + widest + 2;
}

std::string marks_text(const OptionRecord& option) {
  std::string text;
  for (std::string mark : option_marks(option)) {
    std::replace(mark.begin(), mark.end(), ' ', kNoBreak);
    text += " " + mark;
  }
  return text;
}

std::string argument_text(const ArgumentRecord& argument) {
  return std::string(argument.name) + (argument.most < 0 ? "..." : "");
}

std::string logging_line(const CommandRecord& command) {
  std::string line;
  for (const OptionRecord& option : command.options) {
    if (option.group != Group::logging) continue;
    std::string names = option_names(option);
    if (option.letter == 0) names.erase(0, names.find('-'));
    std::replace(names.begin(), names.end(), ' ', kNoBreak);
    line += (line.empty() ? std::string(2, kNoBreak) : " " + std::string(1, kNoBreak)) + names;
  }
  return wrapped(line, kWidth, 0, 1) + "\n";
}

std::string exit_table() {
  std::string text = "Exit status:\n";
  for (const ExitMeaning& exit : exit_meanings())
    text += row(std::to_string(static_cast<int>(exit.code)), std::string(exit.meaning), 7);
  return text;
}

std::string examples(const CommandRecord& command) {
  std::string text = "Examples:\n";
  for (const std::string_view example : command.examples)
    text += "  " + std::string(example) + "\n";
  return text;
}

/// `ops run`: what NAME can be.
std::string operator_rows() {
  std::vector<std::string> names;
  for (const ops::OperatorDescription& known : ops::operator_descriptions())
    names.push_back(std::string(known.name) +
                    (known.short_name == known.name ? "" : ", " + std::string(known.short_name)));
  std::string text = "Operators:\n";
  std::size_t i = 0;
  for (const ops::OperatorDescription& known : ops::operator_descriptions())
    text += row(names[i++], std::string(known.summary), kColumnOfSummaries);
  return text;
}

std::string command_help(const CommandRecord& command, bool in_full) {
  std::string text = std::string(command.description) + "\n\n";
  text += "Usage: grasppanda " + std::string(command.name) + (command.usage.empty() ? "" : " ") +
          std::string(command.usage) + "\n";
  std::vector<std::string> names;
  for (const ArgumentRecord& argument : command.arguments) names.push_back(argument_text(argument));
  for (const OptionRecord& option : command.options) names.push_back(option_names(option));
  const std::size_t column = column_for(names);
  for (const Heading& heading : kHeadings) {
    std::string rows;
    if (heading.group == Group::in)
      for (const ArgumentRecord& argument : command.arguments)
        rows += row(argument_text(argument), std::string(argument.help), column);
    if (heading.group == Group::logging && !in_full) {
      rows += logging_line(command);
    } else {
      for (const OptionRecord& option : command.options) {
        if (option.group != heading.group) continue;
        rows += row(option_names(option), std::string(option.help) + marks_text(option), column);
        if (!in_full) continue;
        std::string more(option.more);
        if (!option.negated.empty())
          more += (more.empty() ? "" : " ") + std::string(option.negated) + " takes it back.";
        constexpr std::size_t kIndent = 10;
        if (!more.empty())
          rows += std::string(kIndent, ' ') + wrapped(more, kWidth, kIndent, kIndent) + "\n";
      }
    }
    if (!rows.empty()) text += "\n" + std::string(heading.text) + "\n" + rows;
  }
  const auto takes_operator = [](const ArgumentRecord& argument) {
    return argument.offers == Offers::operators;
  };
  if (in_full && std::any_of(command.arguments.begin(), command.arguments.end(), takes_operator))
    text += "\n" + operator_rows();
  text += "\n" + examples(command);
  if (in_full) text += "\n" + exit_table();
  return text;
}

std::string command_rows(std::string_view group) {
  std::vector<std::string> names;
  for (const CommandRecord& command : command_list()) names.emplace_back(command.name);
  const std::size_t column = column_for(names);
  std::string text;
  for (const CommandRecord& command : command_list())
    if (!command.hidden && (group.empty() || command.name.starts_with(std::string(group) + " ")))
      text += row(std::string(command.name), std::string(command.help), column);
  if (group.empty())
    text += row("help", "help on the program, or on a command: help infer", column);
  return text;
}

std::string overview(bool in_full) {
  std::string text =
      "6-DoF grasps from recorded RGB-D frames and clouds, with published checkpoints.\n\n"
      "Usage: grasppanda COMMAND [options]\n\nCommands:\n" +
      command_rows("") + "\nOptions:\n" +
      "  -h, --help     help in short, in full; also behind every command\n"
      "  -V, --version  version of the program\n\nExamples:\n"
      "  grasppanda infer -c configs/contact_graspnet.yaml --checkpoint w.pth frame/\n"
      "  grasppanda config show configs/contact_graspnet.yaml\n"
      "  grasppanda help infer\n";
  if (in_full) text += "\n" + exit_table();
  return text;
}

std::string help(std::string_view topic, bool in_full) {
  if (const CommandRecord* command = find_command(topic)) return command_help(*command, in_full);
  for (const CommandGroup& group : command_groups())
    if (group.name == topic)
      return "grasppanda " + std::string(group.name) + ": " + std::string(group.help) +
             ".\n\nUsage: grasppanda " + std::string(group.name) +
             " COMMAND [options]\n\nCommands:\n" + command_rows(group.name) +
             (in_full ? "\n" + exit_table() : "");
  return overview(in_full);
}

}  // namespace

std::string wrapped(std::string_view text, std::size_t width, std::size_t first_column,
                    std::size_t indent) {
  std::string out;
  std::size_t column = first_column;
  bool line_start = true;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    if (!line_start && column + 1 + word.size() > width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
      line_start = true;
    }
    if (!line_start) {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
    line_start = false;
  }
  std::replace(out.begin(), out.end(), kNoBreak, ' ');
  return out;
}

std::span<const ExitMeaning> exit_meanings() {
  return kExitMeanings;
}

std::string option_names(const OptionRecord& option) {
  std::string names = option.letter != 0 ? std::string("-") + option.letter + ", " : "    ";
  names += option.name;
  if (!option.is_switch()) names += " " + std::string(option.value);
  return names;
}

std::vector<std::string> option_marks(const OptionRecord& option) {
  std::vector<std::string> marks;
  std::string_view fallback = option.fallback;
  if (!option.key.empty()) {
    marks.push_back("[config: " + std::string(option.key) + "]");
    fallback = common_key(option.key).default_yaml;
  }
  if (!fallback.empty()) marks.push_back("[" + std::string(fallback) + "]");
  return marks;
}

std::string version_line() {
  const run::BuildInfo info = run::build_info();
  return "grasppanda " + info.version + " (" + info.commit.substr(0, 12) + ")\n";
}

std::string short_help(std::string_view topic) {
  return help(topic, false);
}

std::string long_help(std::string_view topic) {
  return help(topic, true);
}

}  // namespace grasppanda::app
