// A cloud as a picture of depths: what hides a gripper, and what is shaded where no colour image
// is.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "lib/render/canvas.h"
#include "lib/render/view.h"

namespace grasppanda::render {

struct DepthBuffer {
  std::int64_t width = 0, height = 0;
  std::vector<float> depth;         // metres along the view, infinity where nothing is seen
  std::vector<std::int32_t> point;  // the point seen there, or -1
  int radius = 0;                   // a point covers a disc of this many pixels around its own

  static constexpr float kNothing = std::numeric_limits<float>::infinity();
  float at(std::int64_t x, std::int64_t y) const {
    return depth[static_cast<std::size_t>(y * width + x)];
  }
};

/// Projects every finite point in front of the view; the nearest wins, the first among equals. The
/// disc's radius closes the gaps: 0 for the cloud of a depth image at its own pixels, more for a
/// thinned cloud, chosen from the mean distance of points in the part of the picture they cover.
/// Clouds of more than 2^31 points are cut there. Cost O(points + pixels covered by discs).
DepthBuffer draw_depth(const View& view, std::span<const double> xyz);

/// Paints the points' colours, darker where the surface falls off towards a nearer neighbour (eye
/// dome lighting, after Boucheny 2009), so that shapes read without lights or normals. Pixels
/// without a point are left. `rgb`: 3 per point.
void shade(Canvas& canvas, const View& view, const DepthBuffer& buffer,
           std::span<const std::uint8_t> rgb);

}  // namespace grasppanda::render
