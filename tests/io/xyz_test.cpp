#include "lib/io/xyz.h"

#include <cmath>
#include <limits>
#include <string>

#include "lib/io/format_error.h"
#include "lib/io/text_numbers.h"
#include "tests/catch.h"
#include "tests/support/damaged_bytes.h"

using namespace grasppanda;
using namespace grasppanda::io;

namespace {

PointCloud parse(const std::string& text) {
  return parse_xyz(text, "x.xyz");
}

using Bytes = std::vector<std::uint8_t>;

}  // namespace

TEST_CASE("xyz: three columns, separators, comments, ends of lines") {
  const PointCloud cloud = parse(
      "\xef\xbb\xbf# x y z\n1 2 3\r\n\n  4,\t5 ; 6  // note\n+7e-1 -8 .5 # note\n-inf nan 1e400");
  REQUIRE(cloud.points() == 4);
  CHECK(cloud.xyz[3] == 4);
  CHECK(cloud.xyz[6] == 0.7);
  CHECK(cloud.xyz[8] == 0.5);
  CHECK(cloud.xyz[9] == -std::numeric_limits<double>::infinity());
  CHECK(std::isnan(cloud.xyz[10]));
  CHECK(std::isinf(cloud.xyz[11]));
  CHECK(cloud.rgb.empty());
  CHECK(parse("# nothing\n").points() == 0);
}

TEST_CASE("xyz: six columns are colours where they look like colours") {
  CHECK(parse("1 2 3 255 0 7\n1 2 3 1 2 3\n").rgb == Bytes{255, 0, 7, 1, 2, 3});
  CHECK(parse("1 2 3 1 0.5 0\n").rgb == Bytes{255, 128, 0});
  CHECK(parse("1 2 3 0 0 -1\n").rgb.empty());  // normals
  CHECK(parse("1 2 3 300 0 0\n").rgb.empty());
  CHECK(parse("1 2 3 0 0 0\n").rgb.empty());
  CHECK(parse("1 2 3 0 0 nan\n").rgb.empty());
  CHECK(parse("1 2 3 0 0 -1\n").xyz == std::vector<double>{1, 2, 3});
}

TEST_CASE("xyz: errors name the line") {
  CHECK_THROWS_WITH(parse("1 2 3\n\n1 2 x\n"), "x.xyz:3: XYZ: wants a number, got 'x'");
  CHECK_THROWS_WITH(parse("1 2 3\n1 2\n"),
                    "x.xyz:2: XYZ: has 2 numbers; wanted 3 as on the lines before");
  CHECK_THROWS_WITH(parse("12\n1 2 3\n"), "x.xyz:1: XYZ: has 1 numbers; wanted three or six");
  CHECK_THROWS_WITH(parse("1 2 3 4 5 6 7\n"),
                    "x.xyz:1: XYZ: has more than six numbers; wanted three or six");
  CHECK_THROWS_WITH(parse("1 2 3\n1 2 3 4 5 6\n"),
                    "x.xyz:2: XYZ: has 6 numbers; wanted 3 as on the lines before");
  CHECK_THROWS_WITH(parse("<html>"), Catch::Matchers::Contains("is an HTML page"));
  CHECK_THROWS_WITH(parse(std::string("\0\x01", 2)), Catch::Matchers::Contains("\\x00"));
}

TEST_CASE("xyz: wrong bytes are an error or another cloud, never worse") {
  const std::string text = "0.125 -3.5 2e-3\n1 2 3\n-1.25e+2 0 7\n";
  int refused = 0;
  for (std::uint32_t seed = 0; seed < 2000; ++seed) {
    INFO("seed " << seed);
    try {
      const PointCloud cloud = parse(tests::with_wrong_bytes(text, seed));
      CHECK(cloud.xyz.size() % 3 == 0);
    } catch (const FormatError&) {
      ++refused;
    }
  }
  CHECK(refused > 500);
  // A text that is cut may end inside a number, which is a number: only the count can be told.
  CHECK_THROWS_AS(parse(text.substr(0, 9)), FormatError);
}

TEST_CASE("numbers in text: whole words only, whatever the locale") {
  double value = 0;
  CHECK((parse_number("1e-400", value) && value == 0));
  CHECK((parse_number("-1e400", value) && value == -std::numeric_limits<double>::infinity()));
  CHECK((parse_number("+2", value) && value == 2));
  for (const char* word : {"", "+", "-", "1x", "1,5", "0x10", "+-1", "--1", "e5"}) {
    INFO(word);
    CHECK_FALSE(parse_number(word, value));
  }
}
