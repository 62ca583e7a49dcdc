// A small bitmap font of our own, so that a picture needs no font of the system.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "lib/render/canvas.h"

namespace grasppanda::render {

inline constexpr int kGlyphWidth = 5;    // pixels of a glyph
inline constexpr int kGlyphHeight = 9;   // 7 above the base line, 2 below
inline constexpr int kGlyphAdvance = 6;  // from one glyph to the next

/// Is pixel (x, y) of the glyph set? Characters outside of printable ASCII are an empty box.
bool glyph_pixel(char character, int x, int y);

/// UTF-8 as what the font can show: Latin letters lose their accents, typographic signs become
/// their ASCII forms, combining marks vanish; any other character, and any byte that is no UTF-8,
/// is one kUnknownCharacter (an empty box). One byte of the result is one glyph.
std::string as_glyphs(std::string_view utf8);
inline constexpr char kUnknownCharacter = '\x7f';

/// Width in pixels of a text of so many glyphs.
constexpr std::int64_t text_width(std::size_t glyphs, int scale) {
  return glyphs == 0 ? 0 : (static_cast<std::int64_t>(glyphs) * kGlyphAdvance - 1) * scale;
}

/// Draws such text with its upper left corner at (x, y); clipped. Scale >= 1 enlarges whole
/// pixels; at even scales slanted strokes are smoothed.
void draw_text(Canvas& canvas, std::int64_t x, std::int64_t y, int scale, Color color,
               std::string_view text);

}  // namespace grasppanda::render
