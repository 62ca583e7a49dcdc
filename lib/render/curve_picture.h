// A precision-recall curve as a picture.
#pragma once

#include <array>
#include <span>
#include <string>

#include "lib/render/canvas.h"

namespace grasppanda::render {

struct CurvePicture {
  std::string title;                              // UTF-8
  std::string note;                               // under it: "AP 73.21 (11 points) ..."
  std::span<const std::array<double, 2>> points;  // recall, precision; recall does not fall
};

/// 640 x 640 pixels: both axes from 0 to 1, the curve, and under its thick line, pale, the best
/// precision at that recall or beyond, which average precision is made of.
Canvas draw_curve(const CurvePicture& curve);

}  // namespace grasppanda::render
