#include "lib/io/json_file.h"

#include <nlohmann/json.hpp>
#include <string>

#include "lib/io/format_error.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::io;

TEST_CASE("json: documents are read") {
  const tests::ScratchFolder scratch;
  const auto json = read_json(scratch.file("x.json", R"({"a": [1, 2.5, null], "b": "ü"})"));
  CHECK(json["a"][1] == 2.5);
  CHECK(json["b"] == "ü");
  CHECK(read_json(scratch.file("bom.json", "\xef\xbb\xbf[1]"))[0] == 1);
}

TEST_CASE("json: errors name line and column") {
  CHECK_THROWS_WITH(parse_json("{\n  \"a\": 1,\n  b: 2\n}", "x.json"),
                    "x.json:3:3: not valid JSON");
  CHECK_THROWS_WITH(parse_json("{\n  \"a\": [1,\n", "x.json"),
                    Catch::Matchers::Contains("JSON ends too early; the file is cut off"));
  CHECK_THROWS_WITH(parse_json("", "x.json"), "x.json: is an empty file; wanted JSON");
  CHECK_THROWS_WITH(parse_json("<html>", "x.json"), "x.json: is an HTML page; wanted JSON");
  CHECK_THROWS_WITH(parse_json("[1e999]", "x.json"), Catch::Matchers::Contains("range of double"));
  CHECK_THROWS_AS(read_json("/no/such/file.json"), FormatError);
}

TEST_CASE("json: a key that is given twice is refused") {
  CHECK_THROWS_WITH(
      parse_json(R"({"factor_depth": 1000, "K": [1], "factor_depth": 500})", "x.json"),
      "x.json: JSON gives the key 'factor_depth' twice in one object");
  CHECK(parse_json(R"([{"a": 1, "b": {"a": 2}}, {"a": 3, "c": [{"a": 4}, {"a": 5}]}])", "x.json")
            .size() == 2);
}

TEST_CASE("json: deep nesting and wrong bytes are errors at worst") {
  const std::string deep(1000000, '[');
  CHECK_THROWS_AS(parse_json(deep, "x.json"), FormatError);
  const std::string closed = deep.substr(0, 200000) + std::string(200000, ']');
  CHECK(parse_json(closed, "x.json").is_array());
  const std::string text = R"({"intrinsic_matrix": [[600, 0, 320], [0, 600, 240], [0, 0, 1]]})";
  for (std::size_t n = 0; n < text.size(); ++n) {
    CHECK_THROWS_AS(parse_json(text.substr(0, n), "x.json"), FormatError);
  }
  int refused = 0;
  for (std::uint32_t seed = 0; seed < 1000; ++seed) {
    try {
      parse_json(tests::with_wrong_bytes(text, seed), "x.json");
    } catch (const FormatError&) {
      ++refused;
    }
  }
  CHECK(refused > 500);
}
