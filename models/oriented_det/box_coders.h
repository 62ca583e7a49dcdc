// How oriented-det's heads write a box against a prior. In float32, as there. Pixels of the
// network's input, radians; every result is le90: w >= h, angle in [-pi/2, pi/2).
#pragma once

#include <array>
#include <optional>

namespace grasppanda::models::oriented_det {

struct Box {
  float cx, cy, w, h, angle;
};
struct Bounds {
  float x1, y1, x2, y2;
};

/// The same rectangle in le90. Equal sides are not exchanged.
Box in_le90(Box box);

struct DeltaCoder {
  std::array<float, 5> stds = {1, 1, 1, 1, 1};
  std::optional<float> angle_factor{};  // the angle's delta is in units of factor * pi
  bool projected = true;                // the offset of the centre lies along the prior's sides
  bool edge_swap = true;                // unless w > h, w and h are exchanged and the angle turned
};
/// `deltas`: 5 numbers. Sizes are not limited: a far delta gives an infinite side.
Box decode_rotated(const Box& prior, const float* deltas, const DeltaCoder& coder);

/// Rotated Faster R-CNN's regions; sizes change by at most |ln(16 / 1000)|.
Box decode_region(const Bounds& region, const float* deltas);
/// Its proposals. `deltas`: 4 numbers; not clipped.
Bounds decode_horizontal(const Box& anchor, const float* deltas);
/// Oriented R-CNN's proposals. `deltas`: 6 numbers; not clipped.
Box decode_midpoint(const Bounds& anchor, const float* deltas);
/// FCOS: left, top, right, bottom of the point in the turned frame, and the angle.
Box decode_distances(float x, float y, const float* distances, float angle);

}  // namespace grasppanda::models::oriented_det
