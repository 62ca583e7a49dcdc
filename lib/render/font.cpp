#include "lib/render/font.h"

#include <algorithm>

#include "lib/io/utf8.h"

namespace grasppanda::render {
namespace {

// U+00C0 ... U+017F without their accents; '*' has no plain form of one letter (multiplication and
// division sign aside, these are written by two: see two_letters).
constexpr std::string_view kLatin =
    "AAAAAA*CEEEEIIIIDNOOOOOxOUUUUY**"
    "aaaaaa*ceeeeiiiidnooooo/ouuuuy*y"
    "AaAaAaCcCcCcCcDdDdEeEeEeEeEeGgGgGgGgHhHhIiIiIiIiIi**JjKkkLlLlLlLlLlNnNnNnnNnOoOoOo**"
    "RrRrRrSsSsSsSsTtTtTtUuUuUuUuUuUuWwYyYZzZzZzs";
static_assert(kLatin.size() == 0x180 - 0xC0);

std::string_view two_letters(char32_t code) {
  switch (code) {
    case 0xC6:
      return "AE";
    case 0xE6:
      return "ae";
    case 0xDE:
      return "Th";
    case 0xFE:
      return "th";
    case 0xDF:
      return "ss";
    case 0x132:
      return "IJ";
    case 0x133:
      return "ij";
    case 0x152:
      return "OE";
    case 0x153:
      return "oe";
    default:
      return {};
  }
}

void append_glyphs(std::string& out, char32_t code) {
  if (code == '\t' || code == '\n' || code == '\r' || code == 0xA0 || code == 0x3000) {
    out += ' ';
  } else if (code >= ' ' && code < 0x7f) {
    out += static_cast<char>(code);
  } else if (code >= 0xC0 && code < 0x180) {
    const std::string_view two = two_letters(code);
    if (two.empty())
      out += kLatin[code - 0xC0];
    else
      out += two;
  } else if (code >= 0x300 && code < 0x370) {
    // A combining mark belongs to the letter before it (names from macOS are decomposed).
  } else if (code >= 0x2010 && code <= 0x2015) {
    out += '-';
  } else if (code == 0x2018 || code == 0x2019) {
    out += '\'';
  } else if (code == 0x201C || code == 0x201D) {
    out += '"';
  } else if (code == 0x2026) {
    out += "...";
  } else {
    out += kUnknownCharacter;
  }
}

// The number of a valid character of so many bytes.
char32_t code_of(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  if (character.size() == 1) return first;
  char32_t code = first & (0x7Fu >> character.size());
  for (const char next : character.substr(1))
    code = code << 6 | (static_cast<unsigned>(next) & 0x3Fu);
  return code;
}

}  // namespace

std::string as_glyphs(std::string_view utf8) {
  std::string out;
  while (!utf8.empty()) {
    const std::size_t size = io::utf8_size(utf8);
    if (size == 0)
      out += kUnknownCharacter;
    else
      append_glyphs(out, code_of(utf8.substr(0, size)));
    utf8.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

void draw_text(Canvas& canvas, std::int64_t x, std::int64_t y, int scale, Color color,
               std::string_view text) {
  // A quarter of a glyph pixel takes the colour of its two outer neighbours where these agree
  // across a corner: the rule of the Scale2x filter, which makes staircases into slants.
  const auto set = [&](char c, int gx, int gy, bool left, bool up) {
    const bool here = glyph_pixel(c, gx, gy);
    if (scale % 2 != 0) return here;
    const bool side = glyph_pixel(c, gx + (left ? -1 : 1), gy);
    const bool other_side = glyph_pixel(c, gx + (left ? 1 : -1), gy);
    const bool above = glyph_pixel(c, gx, gy + (up ? -1 : 1));
    const bool below = glyph_pixel(c, gx, gy + (up ? 1 : -1));
    return side == above && side != below && above != other_side ? side : here;
  };
  for (const char c : text) {
    if (x >= canvas.width()) return;
    for (std::int64_t j = std::max<std::int64_t>(0, -y);
         j < kGlyphHeight * scale && y + j < canvas.height(); ++j)
      for (std::int64_t i = std::max<std::int64_t>(0, -x);
           i < kGlyphWidth * scale && x + i < canvas.width(); ++i)
        if (set(c, static_cast<int>(i / scale), static_cast<int>(j / scale), i % scale < scale / 2,
                j % scale < scale / 2))
          canvas.blend(x + i, y + j, color, 255);
    x += kGlyphAdvance * scale;
  }
}

}  // namespace grasppanda::render
