// Signed distance grids and annotations as text.
#include "lib/io/format_error.h"
#include "lib/io/sdf_grid.h"
#include "lib/io/xml.h"
#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

io::SdfGrid parse(std::string_view text) {
  return io::parse_sdf(std::as_bytes(std::span(text)), "g.sdf");
}

}  // namespace

TEST_CASE("a signed distance grid") {
  const io::SdfGrid grid = parse("2 2 2\n-0.5 0 0.5\n0.25\n1\n2\n3\n4\n-5e-3\n6\n7\n8\n");
  CHECK(grid.nodes == std::array<std::int64_t, 3>{2, 2, 2});
  CHECK(grid.origin == std::array<double, 3>{-0.5, 0, 0.5});
  CHECK(grid.step == 0.25);
  REQUIRE(grid.values.size() == 8);
  CHECK(grid.values[4] == -0.005);
}

TEST_CASE("broken grids are refused with the line") {
  using Catch::Matchers::Contains;
  CHECK_THROWS_WITH(parse("2 2 2\n0 0 0\n0.1\n1 2 3\n4 x 6 7 8\n"),
                    Contains("g.sdf:5:") && Contains("'x'"));
  CHECK_THROWS_WITH(parse("2 2 2\n0 0 0\n0.1\n1 2 3 4 5 6 7"), Contains("ends"));
  CHECK_THROWS_WITH(parse("2 2 2\n0 0 0\n0.1\n1 2 3 4 5 6 7 8 9"), Contains("behind the last"));
  CHECK_THROWS_AS(parse("2 2 2\n0 0 0\n0\n1 2 3 4 5 6 7 8"), io::FormatError);
  CHECK_THROWS_AS(parse("2 2 2\n0 0 0\n0.1\n1 2 3 nan 5 6 7 8"), io::FormatError);
  CHECK_THROWS_WITH(parse("99999 99999 99999\n0 0 0\n0.1\n1"), Contains("cut off"));
  CHECK_THROWS_AS(parse("1 2 2\n0 0 0\n0.1\n1 2 3 4"), io::FormatError);
  CHECK_THROWS_AS(parse(""), io::FormatError);
}

TEST_CASE("the XML of annotations") {
  const io::XmlElement root = io::parse_xml(
      "<?xml version=\"1.0\" ?>\n<!-- a > b -->\n<scene a='<' b=\"/\">\n  <obj>\n    <id>7</id>\n"
      "    <name> a &amp; b &#60;</name><empty/>\n  </obj>\n</scene>\n",
      "a.xml");
  CHECK(root.name == "scene");
  REQUIRE(root.children.size() == 1);
  const io::XmlElement& object = root.children[0];
  REQUIRE(object.children.size() == 3);
  CHECK(object.children[0].text == "7");
  CHECK(object.children[0].line == 5);
  CHECK(object.children[1].text == "a & b <");
  CHECK(object.children[2].name == "empty");
}

TEST_CASE("what is no XML is refused") {
  const std::string deep = [] {
    std::string text;
    for (int i = 0; i < 100000; ++i) text += "<a>";
    return text;
  }();
  for (const std::string& text :
       {std::string(), std::string("plain"), std::string("<a><b></a></b>"), std::string("<a>"),
        std::string("<a>&undeclared;</a>"), std::string("<a></a>x"), std::string("<"),
        std::string("<a b='"), deep}) {
    CAPTURE(text.substr(0, 30));
    CHECK_THROWS_AS(io::parse_xml(text, "a.xml"), io::FormatError);
  }
}

}  // namespace grasppanda::tests
