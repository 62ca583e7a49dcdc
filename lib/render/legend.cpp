#include "lib/render/legend.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <vector>

#include "lib/render/font.h"

namespace grasppanda::render {
namespace {

constexpr Color kGround{14, 16, 22}, kInk{240, 242, 246}, kQuiet{178, 186, 198};
constexpr int kGroundOpacity = 190;

// Independent of the locale.
std::string number(double value) {
  char buffer[64];
  const bool plain = value == 0 || (std::abs(value) >= 0.005 && std::abs(value) < 1e4);
  const auto end =
      plain
          ? std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, 2)
          : std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, 1);
  return {buffer, end.ptr};
}

std::string counts(const Legend& legend) {
  if (legend.total == 0) return "no grasps";
  const std::string total = std::to_string(legend.total);
  const std::string word = legend.total == 1 ? " grasp" : " grasps";
  if (legend.drawn == legend.total) return total + word;
  return std::to_string(legend.drawn) + " of " + total + word;
}

// The end of a path says more than its beginning.
std::string shortened(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  if (most <= 3) return text.substr(0, most);
  return "..." + text.substr(text.size() - (most - 3));
}

std::string metres(double length) {
  if (length >= 1) return std::to_string(std::lround(length)) + " m";
  if (length >= 0.01) return std::to_string(std::lround(length * 100)) + " cm";
  if (length >= 0.001) return std::to_string(std::lround(length * 1000)) + " mm";
  return number(length) + " m";
}

// "score 0.50 [colours] 1.00" at (x, y), on a canvas or on none; returns its width.
std::int64_t draw_scores(Canvas* canvas, std::int64_t x, std::int64_t y, int s,
                         const ScoreRange& range) {
  const std::int64_t bar = 48 * s, gap = 4 * s, begin = x;
  const auto text = [&](const std::string& words, Color color) {
    if (canvas != nullptr) draw_text(*canvas, x, y, s, color, words);
    x += text_width(words.size(), s) + gap;
  };
  text("score", kQuiet);
  text(number(range.low), kInk);
  for (std::int64_t i = 0; canvas != nullptr && i < bar; ++i)
    canvas->fill(x + i, y, 1, 7 * s,
                 score_color(static_cast<double>(i) / static_cast<double>(bar - 1)));
  x += bar + gap;
  text(number(range.high), kInk);
  return x - gap - begin;
}

}  // namespace

Corner quietest_corner(const Canvas& canvas, std::int64_t width, std::int64_t height,
                       std::int64_t margin, std::span<const std::array<double, 2>> busy) {
  const std::int64_t right = canvas.width() - margin - width;
  const std::int64_t bottom = canvas.height() - margin - height;
  const std::array<Corner, 4> corners = {
      {{margin, margin}, {margin, bottom}, {right, margin}, {right, bottom}}};
  const auto covered = [&](const Corner& c) {
    const auto inside = [](double value, std::int64_t from, std::int64_t size) {
      return value >= static_cast<double>(from) && value <= static_cast<double>(from + size);
    };
    return std::count_if(busy.begin(), busy.end(), [&](const std::array<double, 2>& p) {
      return inside(p[0], c.x, width) && inside(p[1], c.y, height);
    });
  };
  return *std::min_element(corners.begin(), corners.end(), [&](const Corner& a, const Corner& b) {
    return covered(a) < covered(b);
  });
}

int text_scale(std::int64_t width, std::int64_t height) {
  const std::int64_t side = std::min(width * 9 / 16, height);
  if (side < 400) return 1;
  return static_cast<int>(std::max<std::int64_t>(2, side / 720 * 2));
}

void draw_legend(Canvas& canvas, const Legend& legend,
                 std::span<const std::array<double, 2>> busy) {
  const int s = text_scale(canvas.width(), canvas.height());
  const std::int64_t pad = 5 * s, line = 13 * s, margin = 4 * s;
  const std::int64_t room = canvas.width() - 2 * (pad + margin);
  const auto glyphs =
      static_cast<std::size_t>(std::max<std::int64_t>(room / (kGlyphAdvance * s), 0));

  const std::string name = shortened(as_glyphs(legend.name), std::min<std::size_t>(glyphs, 48));
  const std::string count = counts(legend);
  const bool scores = legend.drawn > 0;
  const std::int64_t width =
      std::max({text_width(name.size(), s), text_width(count.size(), s),
                scores ? draw_scores(nullptr, 0, 0, s, legend.range) : std::int64_t{0}}) +
      2 * pad;
  const std::int64_t height = (1 + !name.empty() + scores) * line - 4 * s + 2 * pad;
  if (width > canvas.width() - 2 * margin || height + margin > canvas.height() / 3) return;

  const Corner corner = quietest_corner(canvas, width, height, margin, busy);
  canvas.fill(corner.x, corner.y, width, height, kGround, kGroundOpacity);
  const std::int64_t x = corner.x + pad;
  std::int64_t y = corner.y + pad;
  if (!name.empty()) draw_text(canvas, x, y, s, kInk, name), y += line;
  draw_text(canvas, x, y, s, name.empty() ? kInk : kQuiet, count);
  if (scores) draw_scores(&canvas, x, y + line, s, legend.range);
}

void draw_scale_bar(Canvas& canvas, std::int64_t x, std::int64_t y, std::int64_t width,
                    std::int64_t height, double pixels_per_metre) {
  const double most = static_cast<double>(width) / 3 / pixels_per_metre;
  if (!(most > 1e-9 && most < 1e9)) return;
  double length = std::pow(10.0, std::floor(std::log10(most)));
  length *= most >= 5 * length ? 5 : most >= 2 * length ? 2 : 1;
  const int s = text_scale(canvas.width(), canvas.height());
  const std::string words = metres(length);
  const std::int64_t pixels = std::lround(length * pixels_per_metre);
  const std::int64_t wide = std::max(pixels, text_width(words.size(), s));
  const std::int64_t pad = 5 * s, margin = 4 * s, high = 14 * s;
  if (wide + 2 * (pad + margin) > width || high + 2 * (pad + margin) > height) return;

  const std::int64_t left = x + margin, top = y + height - margin - high - 2 * pad;
  canvas.fill(left, top, wide + 2 * pad, high + 2 * pad, kGround, kGroundOpacity);
  draw_text(canvas, left + pad + (wide - text_width(words.size(), s)) / 2, top + pad, s, kInk,
            words);
  const std::int64_t bar_left = left + pad + (wide - pixels) / 2, bar_top = top + pad + 11 * s;
  canvas.fill(bar_left, bar_top, pixels, s, kInk);
  canvas.fill(bar_left, bar_top - 2 * s, s, 5 * s, kInk);
  canvas.fill(bar_left + pixels - s, bar_top - 2 * s, s, 5 * s, kInk);
}

}  // namespace grasppanda::render
