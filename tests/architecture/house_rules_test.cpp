// Rules of the house that are not about includes: who reads the environment, who prints, what
// things are called and how long they get.
#include <algorithm>
#include <map>
#include <regex>
#include <set>

#include "tests/architecture/source_tree.h"
#include "tests/catch.h"

using namespace grasppanda::tests;

namespace {

/// "file:line: text" of every line of code that `pattern` matches.
std::vector<std::string> matches(const SourceFile& file, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < file.code_lines.size(); ++i)
    if (std::regex_search(file.code_lines[i], pattern))
      found.push_back(file.path + ":" + std::to_string(i + 1) + ": " + file.code_lines[i]);
  return found;
}

const std::regex kReadsEnvironment(R"(\b(secure_)?getenv\b|\bsetenv\b|\bputenv\b|\benviron\b)");
const std::regex kPrintsOrExits(
    R"(\bstd::(cout|cerr|clog)\b|\b(v?f?printf|puts|fputs|putchar|perror)\s*\(|)"
    R"(\b(exit|_exit|_Exit|quick_exit|abort|terminate)\s*\()");

int lines_of_code(const SourceFile& file) {
  return static_cast<int>(
      std::count_if(file.code_lines.begin(), file.code_lines.end(), [](const std::string& line) {
        return line.find_first_not_of(" \t\r") != std::string::npos;
      }));
}

}  // namespace

TEST_CASE("the environment is read in the named files only") {
  const std::set<std::string> named = {"app/environment_variables.cpp",
                                       "lib/ops/rotated/sampling_settings.cpp"};
  bool found_the_reader = false;
  for (const SourceFile& file : read_source_tree(GRASPPANDA_SOURCE_DIR)) {
    if (file.path.starts_with("tests/")) continue;
    const auto found = matches(file, kReadsEnvironment);
    if (named.contains(file.path))
      found_the_reader = found_the_reader || !found.empty();
    else
      for (const std::string& line : found) FAIL_CHECK(line);
  }
  CHECK(found_the_reader);  // else the pattern, or the list, is stale
}

TEST_CASE("library code neither prints nor ends the process") {
  for (const SourceFile& file : read_source_tree(GRASPPANDA_SOURCE_DIR))
    if (file.path.starts_with("lib/") || file.path.starts_with("models/"))
      for (const std::string& line : matches(file, kPrintsOrExits)) FAIL_CHECK(line);
}

TEST_CASE("the patterns tell a call from a name that looks like it") {
  const auto hits = [](const std::string& line, const std::regex& pattern) {
    return matches(parse_source("lib/a.cpp", line), pattern).size();
  };
  CHECK(hits("auto p = std::getenv(\"HOME\");", kReadsEnvironment) == 1);
  CHECK(hits("auto p = secure_getenv(n);", kReadsEnvironment) == 1);
  CHECK(hits("say(\"getenv\"); // getenv", kReadsEnvironment) == 0);
  CHECK(hits("Environment environment;", kReadsEnvironment) == 0);
  CHECK(hits("std::cerr << 1;", kPrintsOrExits) == 1);
  CHECK(hits("std::printf(\"a\");", kPrintsOrExits) == 1);
  CHECK(hits("fprintf(stderr, \"a\");", kPrintsOrExits) == 1);
  CHECK(hits("std::exit(3);", kPrintsOrExits) == 1);
  CHECK(hits("std::snprintf(b, 9, \"a\"); on_exit_do(3);", kPrintsOrExits) == 0);
}

TEST_CASE("no test is called like an option") {  // ctest could not select it
  static const std::regex pattern(R"re(^TEST_CASE\("-)re");
  for (const SourceFile& file : read_source_tree(GRASPPANDA_SOURCE_DIR))
    for (const std::string& line : file.lines)
      if (std::regex_search(line, pattern)) FAIL_CHECK(file.path << ": " << line);
}

TEST_CASE("no folder is a drawer for everything") {
  const std::set<std::string> drawers = {"util",    "utils", "common", "helper",
                                         "helpers", "misc",  "shared"};
  for (const SourceFile& file : read_source_tree(GRASPPANDA_SOURCE_DIR))
    for (const auto& part : std::filesystem::path(file.path).parent_path())
      if (drawers.contains(part.string())) FAIL_CHECK(file.path);
}

TEST_CASE("files stay small enough to be read at once") {
  // What is one idea and longer all the same, and why.
  const std::map<std::string, std::string> longer = {
      {"lib/io/pickle_reader.cpp", "one case per opcode"},
      {"lib/io/pickle_value.h", "one type per kind of value in a pickle"},
      {"lib/ops/kernel_list.h", "a class template: its bodies are in the header"},
  };
  for (const SourceFile& file : read_source_tree(GRASPPANDA_SOURCE_DIR)) {
    // Lists and key tables are data: one row after the other, however many there are.
    if (file.path.starts_with("tests/") || file.path.ends_with("_list.cpp") ||
        file.path.ends_with("keys.cpp"))
      continue;
    const int limit = file.path.ends_with(".h") ? 80 : 300;
    const int lines = lines_of_code(file);
    if (longer.contains(file.path))
      CHECK((lines > limit && lines < 2 * limit));  // else the exception is stale, or out of hand
    else if (lines > limit)
      FAIL_CHECK(file.path << ": " << lines << " lines of code, at most " << limit
                           << "; split it by idea");
  }
}
