// The words on a picture: what was drawn, what the colours mean, how long a metre is.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>

#include "lib/render/canvas.h"
#include "lib/render/score_color.h"

namespace grasppanda::render {

/// Whole-number enlargement of text for a picture of this size: 1, 2 (from 480 pixels), 4, ...
int text_scale(std::int64_t width, std::int64_t height);

/// The place of a width x height rectangle, `margin` from the edges, that covers the fewest of
/// `busy` (pixels): of upper left, lower left, upper right, lower right the first among equals.
struct Corner {
  std::int64_t x, y;
};
Corner quietest_corner(const Canvas& canvas, std::int64_t width, std::int64_t height,
                       std::int64_t margin, std::span<const std::array<double, 2>> busy);

struct Legend {
  std::string name;                   // UTF-8; shortened in front where it is too long
  std::int64_t drawn = 0, total = 0;  // grasps
  ScoreRange range;                   // of the drawn ones
};

/// On a dark ground, in the corner that covers the fewest of `busy` (pixels; the first of upper
/// left, lower left, upper right, lower right among equals). Nothing is drawn where it would cover
/// more than a third of the picture's height or stick out.
void draw_legend(Canvas& canvas, const Legend& legend,
                 std::span<const std::array<double, 2>> busy = {});

/// Lower left corner of a rectangle of the picture: a bar of 1, 2 or 5 times a power of ten metres
/// that is at most a third of the rectangle's width.
void draw_scale_bar(Canvas& canvas, std::int64_t x, std::int64_t y, std::int64_t width,
                    std::int64_t height, double pixels_per_metre);

}  // namespace grasppanda::render
