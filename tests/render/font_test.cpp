#include "lib/render/font.h"

#include <set>

#include "tests/catch.h"

using namespace grasppanda;

namespace {

std::string shape(char c) {
  std::string out;
  for (int y = 0; y < render::kGlyphHeight; ++y)
    for (int x = 0; x < render::kGlyphWidth; ++x) out += render::glyph_pixel(c, x, y) ? '#' : '.';
  return out;
}

}  // namespace

TEST_CASE("every printable ASCII character has a shape of its own") {
  std::set<std::string> shapes;
  for (char c = ' '; c < '\x7f'; ++c) {
    INFO("character " << static_cast<int>(c));
    CHECK(shapes.insert(shape(c)).second);
    CHECK((shape(c).find('#') != std::string::npos) == (c != ' '));
  }
  CHECK(shapes.insert(shape(render::kUnknownCharacter)).second);
}

TEST_CASE("characters without a glyph are the box") {
  for (const char c : {'\0', '\n', '\x1f', '\x80', '\xff'})
    CHECK(shape(c) == shape(render::kUnknownCharacter));
  CHECK_FALSE(render::glyph_pixel('H', -1, 0));
  CHECK_FALSE(render::glyph_pixel('H', 0, render::kGlyphHeight));
}

TEST_CASE("the letter T is where it should be, at scale 1") {
  render::Canvas canvas(8, 10);
  render::draw_text(canvas, 1, 0, 1, {255, 255, 255}, "T");
  std::string rows;
  for (int y = 0; y < 8; ++y) {
    for (int x = 0; x < 7; ++x) rows += canvas.pixel(x, y)[0] ? '#' : '.';
    rows += '/';
  }
  CHECK(rows == ".#####./...#.../...#.../...#.../...#.../...#.../...#.../......./");
}

TEST_CASE("UTF-8 names become what the font can show") {
  const std::string box(1, render::kUnknownCharacter);
  const std::pair<const char*, std::string> cases[] = {
      {"scene_0100/0001", "scene_0100/0001"},
      {"Gr\xC3\xA4"
       "fe",
       "Grafe"},  // a with dots
      {"Stra\xC3\x9F"
       "e",
       "Strasse"},  // sharp s
      {"\xC5\x81\xC3\xB3"
       "d\xC5\xBA",
       "Lodz"},
      {"e\xCC\x81", "e"},  // decomposed accent
      {"a\xE2\x80\x93"
       "b",
       "a-b"},                // dash
      {"\xE7\xA2\x97", box},  // one character, one box
      {"\xF0\x9F\xA6\xBE"
       "x",
       box + "x"},
      {"\xFF\xC3", box + box},            // no UTF-8: one box a byte
      {"\xC0\xAF", box + box},            // overlong
      {"\xED\xA0\x80", box + box + box},  // surrogate
      {"a\tb", "a b"},
      {"\x1b[31m", box + "[31m"},
      {"", ""}};
  for (const auto& [name, expected] : cases) {
    INFO(name);
    CHECK(render::as_glyphs(name) == expected);
  }
}

TEST_CASE("text is clipped by the picture") {
  render::Canvas canvas(9, 9);
  for (const int scale : {1, 2, 3, 4})
    for (const int x : {-1000, -3, 0, 8, 9, 1000})
      for (const int y : {-1000, -3, 0, 8, 9, 1000})
        render::draw_text(canvas, x, y, scale, {255, 255, 255}, "Wg\x7f");
  CHECK(render::text_width(0, 2) == 0);
  CHECK(render::text_width(3, 2) == 34);
}
