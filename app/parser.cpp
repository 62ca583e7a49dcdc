#include "app/parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <map>
#include <memory>

#include "app/find_command.h"
#include "app/report_error.h"
#include "lib/config/config_error.h"
#include "lib/config/suggest.h"
#include "lib/config/wanted.h"

namespace grasppanda::app {

namespace {

using config::did_you_mean;
using config::printable;

/// One command's parser, made from its record, with what each CLI11 option stands for.
class CommandParser {
 public:
  explicit CommandParser(const CommandRecord& command)
      : command_(command), app_(std::string(command.name)) {
    app_.set_help_flag("");
    app_.allow_extras();
    for (const OptionRecord& record : command.options) {
      std::string names(record.name);
      if (record.letter != 0) names = std::string("-") + record.letter + "," + names;
      add(names, record, false);
      if (!record.negated.empty()) add(std::string(record.negated), record, true);
    }
    words_ = app_.add_option("words", word_values_);
    words_->expected(0, -1);
  }

  void parse(std::vector<std::string> arguments, Parsed& parsed) {
    refuse_misplaced_values(arguments);
    std::reverse(arguments.begin(), arguments.end());  // CLI11 takes them from the back
    try {
      app_.parse(arguments);
    } catch (const CLI::ParseError& error) {
      throw UsageError(sentence(error));
    }
    for (const std::string& extra : app_.remaining())
      if (extra != "--") refuse_unknown(extra);
    // The last of several occurrences counts, so they are applied in the order typed.
    std::map<const CLI::Option*, std::size_t> seen;
    for (const CLI::Option* option : app_.parse_order()) {
      const std::size_t occurrence = seen[option]++;
      if (option == words_) continue;
      const auto& [record, negated] = meaning_.at(option);
      apply(*record, negated, record->is_switch() ? "" : option->results().at(occurrence), parsed);
    }
    parsed.invocation.arguments = words_->results();
  }

 private:
  void add(const std::string& names, const OptionRecord& record, bool negated) {
    CLI::Option* option = nullptr;
    if (record.is_switch()) {
      option = app_.add_flag(names)->disable_flag_override();
    } else {
      values_.push_back(std::make_unique<std::vector<std::string>>());
      option = app_.add_option(names, *values_.back())
                   ->expected(1)
                   ->allow_extra_args(false)
                   ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    }
    meaning_[option] = {&record, negated};
  }

  std::string where() const { return std::string(command_.name) + ": "; }

  const OptionRecord* find_option(std::string_view name) const {
    if (name.empty()) return nullptr;  // records have empty names for what they have not got
    for (const OptionRecord& record : command_.options)
      if (record.name == name || record.negated == name ||
          (record.letter != 0 && name == std::string("-") + record.letter))
        return &record;
    return nullptr;
  }

  /// `--out --dry-run`: the value was forgotten, and CLI11 would take the option for it.
  /// `--dry-run=yes`: a switch has no value.
  void refuse_misplaced_values(const std::vector<std::string>& arguments) const {
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
      const std::string name = arguments[i].substr(0, arguments[i].find('='));
      const OptionRecord* record = find_option(name);
      if (record == nullptr) continue;
      const bool joined = name.size() < arguments[i].size();
      if (record->is_switch() && joined) throw UsageError(where() + name + " takes no value");
      if (record->is_switch() || joined) continue;
      const bool forgotten = i + 1 == arguments.size() || arguments[i + 1] == "--" ||
                             find_option(arguments[i + 1]) != nullptr;
      if (forgotten)
        throw UsageError(where() + name + " wants a value: " + name + " " +
                         std::string(record->value));
      ++i;
    }
  }

  std::string sentence(const CLI::ParseError& error) const {
    return where() + printable(error.what());
  }

  [[noreturn]] void refuse_unknown(const std::string& extra) const {
    const std::string name = extra.substr(0, extra.find('='));
    const auto later = later_options();
    if (std::find(later.begin(), later.end(), name) != later.end())
      throw UsageError(where() + "this version has no option '" + name + "' yet");
    std::vector<std::string_view> names;
    for (const OptionRecord& record : command_.options)
      for (const std::string_view known : {record.name, record.negated})
        if (!known.empty()) names.push_back(known);
    std::string message = where() + "unknown option '" + printable(name) + "'";
    const std::string meant = did_you_mean(name, names);
    throw UsageError(message + (meant.empty() ? "; 'grasppanda " + std::string(command_.name) +
                                                    " -h' lists the options"
                                              : meant));
  }

  void apply(const OptionRecord& record, bool negated, const std::string& value, Parsed& parsed) {
    Invocation& invocation = parsed.invocation;
    const std::string name(record.name);
    if (name == "--help" || name == "--version") return;  // looked for before parsing
    if (name == "--quiet" || name == "--verbose") {
      const int step = name == "--quiet" ? -1 : 1;
      const int level = invocation.verbosity * step > 0 ? invocation.verbosity : 0;
      invocation.verbosity = negated ? 0 : std::clamp(level + step, -2, 2);
    } else if (name == "--no-progress") {
      invocation.progress = negated;
    } else if (record.is_switch()) {
      negated ? (void)invocation.options.erase(name) : (void)invocation.options[name];
    } else {
      check_value(record, value);
      if (name == "--color" && is_choice(record, value)) {
        parsed.color_when = value;
        return;
      }
      auto& values = invocation.options[name];
      if (!record.repeatable || name == "--color") values.clear();
      values.push_back(value);
      parsed.ordered.emplace_back(name, value);
    }
  }

  static bool is_choice(const OptionRecord& record, std::string_view value) {
    return std::find(record.choices.begin(), record.choices.end(), value) != record.choices.end();
  }

  static std::string choices_text(const OptionRecord& record) {
    std::vector<std::string> choices(record.choices.begin(), record.choices.end());
    if (record.open_choices) choices.emplace_back("cuda:N");  // --device; --color takes any file
    return config::alternatives(choices);
  }

  /// Options that mirror a key are checked with the configuration.
  void check_value(const OptionRecord& record, const std::string& value) const {
    if (!record.key.empty()) return;
    const std::string what = where() + std::string(record.name);
    if (value.empty()) throw UsageError(what + " wants " + std::string(record.value) + ", got ''");
    if (!record.choices.empty() && !is_choice(record, value)) {
      if (record.open_choices && record.name == "--color") return;
      if (record.open_choices && is_cuda_device(value)) return;
      throw UsageError(what + ": wants " + choices_text(record) + ", got '" + printable(value) +
                       "'" + did_you_mean(value, record.choices));
    }
    if (record.least != OptionRecord::kNoNumber && !is_whole_number(value, record.least))
      throw UsageError(what + ": wants a whole number of at least " + std::to_string(record.least) +
                       ", got '" + printable(value) + "'");
  }

  static bool is_whole_number(const std::string& text, std::int64_t least) {
    std::int64_t number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc() && stop == end && number >= least;
  }

  static bool is_cuda_device(const std::string& text) {
    return text.starts_with("cuda:") && is_whole_number(text.substr(5), 0);
  }

  const CommandRecord& command_;
  CLI::App app_;
  CLI::Option* words_ = nullptr;
  std::vector<std::string> word_values_;
  std::vector<std::unique_ptr<std::vector<std::string>>> values_;
  std::map<const CLI::Option*, std::pair<const OptionRecord*, bool>> meaning_;
};

void check_arguments(const CommandRecord& command, const Invocation& invocation) {
  const auto& given = invocation.arguments;
  std::size_t least = 0, most = 0;
  std::string names, choices;
  for (const ArgumentRecord& argument : command.arguments) {
    least += static_cast<std::size_t>(argument.least);
    most = argument.most < 0 || most == SIZE_MAX ? SIZE_MAX
                                                 : most + static_cast<std::size_t>(argument.most);
    names += (names.empty() ? "" : " ") + std::string(argument.name);
    if (!argument.choices.empty()) choices = " (" + std::string(argument.help) + ")";
  }
  const std::string where(command.name);
  if (std::find(given.begin(), given.end(), "") != given.end())
    throw UsageError(where + ": an argument is empty (''); was a variable not set?");
  if (given.size() < least)
    throw UsageError(where + ": wants " + names + choices + ", got " +
                     (given.empty() ? "nothing" : "'" + printable(given.back()) + "' only"));
  if (given.size() > most)
    throw UsageError(where + ": " + (names.empty() ? "takes no arguments" : "wants " + names) +
                     ", but got '" + printable(given[most]) + "' besides");
  for (std::size_t i = 0; i < given.size() && i < command.arguments.size(); ++i) {
    const auto& choices = command.arguments[i].choices;
    if (!choices.empty() && std::find(choices.begin(), choices.end(), given[i]) == choices.end())
      throw UsageError(where + ": wants " + std::string(command.arguments[i].help) + ", got '" +
                       printable(given[i]) + "'" + did_you_mean(given[i], choices));
  }
}

}  // namespace

void parse_command_line(const std::vector<std::string>& arguments, Parsed& parsed) {
  parsed.invocation.progress = true;
  const FoundCommand found = find_command_in(arguments);
  parsed.topic = found.topic;
  parsed.command = found.command;
  if (found.wanted != Wanted::command) {
    parsed.wanted = found.wanted;
    return;
  }
  const CommandRecord& command = *found.command;
  parsed.invocation.command = std::string(command.name);
  for (const std::string& argument : found.rest) {
    if (argument == "--") break;
    if (argument == "--json" && !command.json_schema.empty()) parsed.json = true;
    if (argument == "--no-json") parsed.json = false;
    if (argument == "-h") parsed.wanted = Wanted::short_help;
    if (argument == "--help") parsed.wanted = Wanted::long_help;
    if (argument == "-V" || argument == "--version") parsed.wanted = Wanted::version;
    if (parsed.wanted != Wanted::command) return;
  }
  if (command.takes_anything) return;
  CommandParser(command).parse(found.rest, parsed);
  if (command.config == ConfigFrom::required_option && !parsed.invocation.has("--config") &&
      !parsed.invocation.has("--resume"))
    throw UsageError(std::string(command.name) + ": no run config; give one with -c FILE");
  check_arguments(command, parsed.invocation);
  if (command.check != nullptr) command.check(parsed.invocation);
}

}  // namespace grasppanda::app
