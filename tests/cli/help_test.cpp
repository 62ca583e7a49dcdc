// Help as it is printed, per command: snapshots in tests/data/help. After a wanted change run
// test_cli with GRASPPANDA_WRITE_SNAPSHOTS=1 and read the difference.
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "app/command.h"
#include "tests/catch.h"
#include "tests/cli/program.h"

namespace grasppanda::tests {

namespace {

std::string read(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

std::vector<std::string> words(std::string_view name) {
  std::vector<std::string> all;
  std::istringstream stream{std::string(name)};
  for (std::string word; stream >> word;) all.push_back(word);
  return all;
}

/// Characters, not bytes.
std::size_t widest_line(const std::string& text) {
  std::size_t widest = 0, now = 0;
  for (const char c : text) {
    if (c == '\n')
      now = 0;
    else if ((static_cast<unsigned char>(c) & 0xC0) != 0x80)
      widest = std::max(widest, ++now);
  }
  return widest;
}

void check_snapshot(const std::string& name, const std::string& text) {
  const std::filesystem::path file =
      std::filesystem::path(GRASPPANDA_SOURCE_DIR) / "tests/data/help" / (name + ".txt");
  if (std::getenv("GRASPPANDA_WRITE_SNAPSHOTS") != nullptr)
    std::ofstream(file, std::ios::binary) << text;
  CAPTURE(file);
  CHECK(text == read(file));
}

}  // namespace

TEST_CASE("help of every command", "[cli]") {
  std::vector<std::string> topics = {""};
  for (const app::CommandGroup& group : app::command_groups()) topics.emplace_back(group.name);
  for (const app::CommandRecord& command : app::command_list())
    if (!command.hidden) topics.emplace_back(command.name);
  for (const std::string& topic : topics) {
    CAPTURE(topic);
    std::string name = topic.empty() ? "grasppanda" : topic;
    std::replace(name.begin(), name.end(), ' ', '_');
    auto arguments = words(topic);
    arguments.push_back("-h");
    const Finished in_short = run_program(arguments);
    arguments.back() = "--help";
    const Finished in_full = run_program(arguments);
    for (const Finished* finished : {&in_short, &in_full}) {
      CHECK(finished->status == 0);
      CHECK(finished->err == "");
      CHECK(widest_line(finished->out) <= 79);
      CHECK(finished->out.find(" \n") == std::string::npos);
    }
    check_snapshot(name + "_short", in_short.out);
    check_snapshot(name, in_full.out);
    auto asked = words(topic);
    asked.insert(asked.begin(), "help");
    CHECK(run_program(asked).out == in_full.out);
    CHECK_THAT(in_full.out, Catch::Matchers::Contains("Exit status:\n  0    done"));
    if (topic.find(' ') != std::string::npos || app::find_command(topic) != nullptr)
      CHECK_THAT(in_short.out, Catch::Matchers::Contains("\nExamples:\n  "));
  }
}

TEST_CASE("the program alone prints its short help and exits 2", "[cli]") {
  const Finished alone = run_program({});
  CHECK(alone.status == 2);
  CHECK(alone.out == "");
  CHECK(alone.err == run_program({"-h"}).out);
  const Finished group = run_program({"ops"});
  CHECK(group.status == 2);
  CHECK(group.err == run_program({"ops", "-h"}).out);
}

TEST_CASE("the option --version", "[cli]") {
  for (const char* option : {"--version", "-V"}) {
    const Finished finished = run_program({option});
    CHECK(finished.status == 0);
    CHECK(finished.err == "");
    CHECK_THAT(finished.out,
               Catch::Matchers::StartsWith("grasppanda 0.") && Catch::Matchers::EndsWith(")\n"));
    CHECK(run_program({"infer", option}).out == finished.out);
  }
}

TEST_CASE("generated pages are current", "[cli]") {
  for (const std::string page : {"cli", "config"}) {
    const Finished made = run_program({"docs", page});
    REQUIRE(made.status == 0);
    const std::filesystem::path file =
        std::filesystem::path(GRASPPANDA_SOURCE_DIR) / "docs" / (page + ".md");
    INFO("run scripts/generate_docs");
    CAPTURE(file);
    CHECK(made.out == read(file));
  }
}

}  // namespace grasppanda::tests
