#include "lib/config/yaml_document.h"

#include <chrono>

#include "tests/catch.h"

namespace grasppanda::tests {

namespace {

using config::parse_yaml;
using config::Problem;
using config::YamlNode;

/// What is wrong with a text, or "".
std::string wrong(std::string_view text) {
  std::vector<Problem> problems;
  parse_yaml(text, "f", problems);
  std::string lines;
  for (const Problem& problem : problems) lines += problem.text() + "\n";
  return lines;
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("yaml_document: kinds and positions, counted from 1", "[config]") {
  std::vector<Problem> problems;
  const auto root = parse_yaml("a: 1\nb:\n  - x\n  - 'y'\nc:\nd: ~\n", "f", problems);
  REQUIRE(root);
  REQUIRE(problems.empty());
  REQUIRE(root->kind == YamlNode::Kind::map);
  REQUIRE(root->keys.size() == 4);
  CHECK(root->keys[1].text == "b");
  CHECK(root->keys[1].line == 2);
  CHECK(root->find("a")->text == "1");
  CHECK(root->find("a")->line == 1);
  CHECK(root->find("a")->column == 4);
  const YamlNode& list = *root->find("b");
  REQUIRE(list.items.size() == 2);
  CHECK(list.items[0].plain);
  CHECK_FALSE(list.items[1].plain);
  CHECK(list.items[1].line == 4);
  CHECK(list.items[1].column == 5);
  CHECK(root->find("c")->kind == YamlNode::Kind::null);
  CHECK(root->find("d")->kind == YamlNode::Kind::null);
  CHECK(root->find("e") == nullptr);
}

TEST_CASE("yaml_document: an alias stands for a copy", "[config]") {
  std::vector<Problem> problems;
  const auto root = parse_yaml("a: &x [1, 2]\nb: *x\n", "f", problems);
  REQUIRE(root);
  CHECK(root->find("b")->items.size() == 2);
}

TEST_CASE("yaml_document: texts that are refused", "[config]") {
  CHECK(wrong("a: 1\na: 2\n") == "f:2:1: 'a' is given twice; first in line 1\n");
  CHECK(wrong("a: 1\n---\nb: 2\n") == "f: holds more than one YAML document ('---')\n");
  CHECK(wrong("a: &x [*x]\n") == "f:1:8: an alias stands inside the value that it names\n");
  CHECK(wrong("a: !!python/object:os.system x\n") ==
        "f:1:4: the tag 'tag:yaml.org,2002:python/object:os.system' means nothing here; write the "
        "value without it\n");
  CHECK(wrong("[a, b]: 1\n") == "f:1:1: a list or map cannot be a key; is a ']' or '}' missing?\n");
  CHECK(wrong("a: [1, 2\n") == "f:2:1: not valid YAML: end of sequence flow not found\n");
  CHECK(wrong("a: b: c\n") == "f:1:5: not valid YAML: illegal map value\n");
  CHECK(wrong("a:\n\tb: 1\n") == "f:2:1: a tab in the indentation; YAML wants blanks\n");
  CHECK(wrong("\"a\\q\": 1\n") != "");
  CHECK(wrong("@: 1\n") != "");
}

TEST_CASE("yaml_document: nothing costs much", "[config]") {
  const auto start = std::chrono::steady_clock::now();
  // What yaml-cpp calls an unfinished list depends on its release; that it is refused does not.
  for (const int times : {100, 200 * 1024}) CHECK(wrong(repeated("[", times)) != "");
  for (const int times : {100, 50 * 1024}) CHECK(wrong(repeated("{a: ", times)) != "");
  CHECK(wrong(repeated("[", 40) + repeated("]", 40)) ==
        "f:1:33: nested more than 32 levels deep\n");
  CHECK(wrong(repeated("- ", 50 * 1024)) == "f:1:65: nested more than 32 levels deep\n");
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + before;
    for (int j = 0; j < 9; ++j) bomb += ", " + before;
    bomb += "]\n";
  }
  CHECK_THAT(wrong(bomb),
             Catch::Matchers::EndsWith("more than 20000 values; this is no run config\n"));
  CHECK_THAT(wrong(repeated("- x\n", 30000)),
             Catch::Matchers::EndsWith("more than 20000 values; this is no run config\n"));
  CHECK(std::chrono::steady_clock::now() - start < std::chrono::seconds(5));
}

}  // namespace grasppanda::tests
