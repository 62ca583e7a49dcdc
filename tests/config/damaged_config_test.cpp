// Whatever the bytes, the answer is a configuration or a ConfigError.
#include "tests/catch.h"
#include "tests/config/tables.h"
#include "tests/support/damaged_bytes.h"

namespace grasppanda::tests {

namespace {

std::string shipped() {
  return read_bytes(std::filesystem::path(GRASPPANDA_SOURCE_DIR) / "configs/contact_graspnet.yaml");
}

/// "" when the text was accepted or refused as it should be.
std::string misbehaviour(const std::string& text) {
  try {
    load(text);
  } catch (const config::ConfigError& error) {
    if (error.problems().empty()) return "no problem is named";
  } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a config that is cut off anywhere is accepted or refused", "[config]") {
  const std::string whole = shipped();
  REQUIRE(whole.size() > 1000);
  for (const std::size_t length : cut_lengths(whole.size(), 300)) {
    CAPTURE(length);
    CHECK(misbehaviour(whole.substr(0, length)) == "");
  }
}

TEST_CASE("a config with wrong bytes is accepted or refused", "[config]") {
  const std::string whole = shipped();
  int refused = 0;
  for (std::uint32_t seed = 0; seed < 1500; ++seed) {
    CAPTURE(seed);
    const std::string text = with_wrong_bytes(whole, seed);
    CHECK(misbehaviour(text) == "");
    if (problems(text) != std::vector<std::string>{"no error"}) ++refused;
  }
  CHECK(refused > 300);  // most changes hit a comment or blank; many do not
}

TEST_CASE("odd little texts are accepted or refused", "[config]") {
  for (const char* text : {"{",
                           "}",
                           "[",
                           "]",
                           "-",
                           "- -",
                           "?",
                           ":",
                           "::",
                           "&a",
                           "*a",
                           "&a *a",
                           "!",
                           "!!",
                           "%",
                           "%YAML 9.9\n---\n",
                           "|",
                           ">",
                           "'",
                           "\"",
                           "\"\\x\"",
                           "\xff\xfe",
                           "\xef\xbb\xbf",
                           "\xef\xbb\xbfmodel: 1",
                           "a: |9\n b",
                           "...",
                           "--- ---",
                           "? a",
                           "? [a]\n: b",
                           "{a: b: c}",
                           "[a, b]: c",
                           "!<x> y",
                           "a: !b c",
                           "\t",
                           "a:\t1",
                           "model: [name]",
                           "model: {name: [contact_graspnet]}",
                           "model: {name: {a: 1}}",
                           "model: contact_graspnet",
                           "model: {name: }",
                           "model: {name: ''}",
                           "42",
                           "~",
                           "model: {? name : contact_graspnet}"}) {
    CAPTURE(text);
    CHECK(misbehaviour(text) == "");
  }
}

}  // namespace grasppanda::tests
