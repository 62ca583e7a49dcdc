// Anti-aliased lines with an outline, several strokes painted as one shape.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "lib/render/canvas.h"

namespace grasppanda::render {

struct StrokeStyle {
  double radius = 1.5;        // of the core, pixels
  double outline = 1.25;      // beyond the core, pixels
  double core_opacity = 1.0;  // 0..1
  double outline_opacity = 0.75;
};

/// Collects strokes and paints them in one go: where strokes of one shape meet or cross, neither
/// outlines nor translucent parts show double. Reusable; the cost is that of the touched pixels.
class StrokeMask {
 public:
  StrokeMask(std::int64_t width, std::int64_t height);

  /// A line with round ends between two points, pixel centres at whole numbers. Parts outside of
  /// the picture are ignored; both points must be finite and within 2^31 pixels.
  void add(const std::array<double, 2>& from, const std::array<double, 2>& to,
           const StrokeStyle& style);

  /// Outline under core; then the mask is empty again.
  void paint(Canvas& canvas, Color core, Color outline);

 private:
  std::int64_t width_, height_;
  std::vector<std::uint8_t> core_, outline_;  // opacity of each pixel
  std::vector<std::size_t> touched_;
};

}  // namespace grasppanda::render
