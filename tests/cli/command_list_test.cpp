// The records that everything is made from.
#include "app/command.h"

#include <algorithm>
#include <set>
#include <sstream>

#include "app/config_keys.h"
#include "app/parser.h"
#include "tests/catch.h"

namespace grasppanda::tests {

using app::CommandRecord;
using app::OptionRecord;

TEST_CASE("every option is described, names its value and an existing key", "[cli]") {
  for (const CommandRecord& command : app::command_list()) {
    std::set<std::string> names;
    for (const OptionRecord& option : command.options) {
      CAPTURE(command.name, option.name);
      CHECK(names.insert(std::string(option.name)).second);
      if (option.letter != 0) CHECK(names.insert(std::string("-") + option.letter).second);
      if (!option.negated.empty()) CHECK(names.insert(std::string(option.negated)).second);
      CHECK(option.name.starts_with("--"));
      CHECK(option.name.find_first_not_of("-abcdefghijklmnopqrstuvwxyz") == std::string_view::npos);
      CHECK_FALSE(option.help.empty());
      CHECK_FALSE(option.help.ends_with('.'));
      if (!option.key.empty()) CHECK_NOTHROW(app::common_key(option.key));
      // Short letters are few; a switch can be taken back.
      CHECK((option.letter == 0 ||
             std::string_view("chqvV").find(option.letter) != std::string_view::npos));
      const bool answers = option.name == "--help" || option.name == "--version";
      if (option.is_switch() && !answers) CHECK_FALSE(option.negated.empty());
      if (!option.is_switch())
        CHECK(option.value == [&] {
          std::string upper(option.value);
          std::transform(upper.begin(), upper.end(), upper.begin(),
                         [](unsigned char c) { return std::toupper(c); });
          return upper;
        }());
    }
    for (const char* everywhere : {"--help", "--version", "--quiet", "--verbose", "--color"})
      CHECK(names.contains(everywhere));
    // The switch makes standard output one JSON object; `--json FILE` is another thing.
    CHECK(
        std::any_of(command.options.begin(), command.options.end(), [](const OptionRecord& option) {
          return option.name == "--json" && option.is_switch();
        }) == !command.json_schema.empty());
  }
}

TEST_CASE("every command is described, with examples that parse", "[cli]") {
  std::set<std::string_view> names;
  for (const CommandRecord& command : app::command_list()) {
    CAPTURE(command.name);
    CHECK(names.insert(command.name).second);
    CHECK_FALSE(command.help.empty());
    CHECK_FALSE(command.description.empty());
    if (!command.hidden) CHECK(command.examples.size() >= 2);
    bool uses_itself = command.takes_anything;
    for (const std::string_view example : command.examples) {
      CAPTURE(example);
      CHECK(example.size() <= 77);
      // From the program's name to the end of the command: `VAR=x grasppanda ... > file`.
      std::istringstream stream{std::string(example)};
      std::vector<std::string> words;
      bool inside = false;
      for (std::string word; stream >> word;) {
        if (word == ">" || word == "|") break;
        if (inside) words.push_back(word.substr(0, word.find(')')));
        inside = inside || word.ends_with("grasppanda");
      }
      app::Parsed parsed;
      CHECK_NOTHROW(app::parse_command_line(words, parsed));
      uses_itself = uses_itself || parsed.command == &command;
    }
    CHECK(uses_itself);
  }
}

namespace {

app::Parsed parse(const std::vector<std::string>& words) {
  app::Parsed parsed;
  app::parse_command_line(words, parsed);
  return parsed;
}

}  // namespace

TEST_CASE("what was typed arrives", "[cli]") {
  const app::Parsed parsed =
      parse({"-v", "infer", "-c", "run.yaml", "a", "--set", "x=1", "b", "--set=y=-2", "--seed", "1",
             "--seed", "2", "--points", "p.npy", "--points=q.npy", "--no-progress", "--", "--c"});
  const app::Invocation& invocation = parsed.invocation;
  CHECK(invocation.command == "infer");
  CHECK(invocation.arguments == std::vector<std::string>{"a", "b", "--c"});
  CHECK(invocation.all("--set") == std::vector<std::string>{"x=1", "y=-2"});
  CHECK(invocation.all("--seed") == std::vector<std::string>{"2"});
  CHECK(invocation.all("--points") == std::vector<std::string>{"p.npy", "q.npy"});
  CHECK(invocation.value("--config") == "run.yaml");
  CHECK(invocation.verbosity == 1);
  CHECK_FALSE(invocation.progress);
  CHECK_FALSE(invocation.has("--dry-run"));
  using Pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(parsed.ordered == Pairs{{"--config", "run.yaml"},
                                {"--set", "x=1"},
                                {"--set", "y=-2"},
                                {"--seed", "1"},
                                {"--seed", "2"},
                                {"--points", "p.npy"},
                                {"--points", "q.npy"}});
}

TEST_CASE("the last of several switches counts", "[cli]") {
  const auto infer = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"infer", "-c", "c", "x"});
    return parse(more);
  };
  CHECK(infer({"--dry-run"}).invocation.has("--dry-run"));
  CHECK_FALSE(infer({"--dry-run", "--no-dry-run"}).invocation.has("--dry-run"));
  CHECK(infer({"-qq"}).invocation.verbosity == -2);
  CHECK(infer({"-vvv"}).invocation.verbosity == 2);
  CHECK(infer({"-q", "-v"}).invocation.verbosity == 1);
  CHECK(infer({"-vv", "--no-verbose"}).invocation.verbosity == 0);
  CHECK(infer({"--no-progress", "--progress"}).invocation.progress);
  CHECK(infer({"-", "x y"}).invocation.arguments == std::vector<std::string>{"x", "-", "x y"});
}

TEST_CASE("the option --color takes a word, or the colour image of --depth", "[cli]") {
  const app::Parsed parsed =
      parse({"infer", "-c", "c", "--depth", "d.png", "--color", "never", "--color", "color.png"});
  CHECK(parsed.color_when == "never");
  CHECK(parsed.invocation.all("--color") == std::vector<std::string>{"color.png"});
  const app::Parsed file = parse({"infer", "-c", "c", "--depth", "d.png", "--color", "./never"});
  CHECK(file.color_when == "auto");
  CHECK(file.invocation.value("--color") == "./never");
  CHECK_FALSE(parse({"infer", "-c", "c", "x", "--color", "always"}).invocation.has("--color"));
}

}  // namespace grasppanda::tests
