// How MMRotate's heads write a box against a prior, and the conversions of boxes that they use. All
// in float32, as there. Pixels of the resized picture, radians.
#pragma once

#include <array>
#include <optional>

#include "lib/geometry/rotated_box.h"

namespace grasppanda::models::mmrotate {

using geometry::AngleConvention;

/// The two lines of the project: same layers, different arithmetic around them.
enum class Line : std::uint8_t { v0, v1 };

struct Box {
  float cx, cy, w, h, angle;
};
struct Bounds {
  float x1, y1, x2, y2;
};
/// Size of the resized picture without its padding.
struct PictureSize {
  float width, height;
};

/// The angle wrapped into the range of le90 or le135; `oc` leaves it as it is.
float wrapped(float angle, AngleConvention convention);

/// The horizontal box around a rotated one. `oc` takes sine and cosine with their signs (line 0.x).
Bounds bounds_of(const Box& box, AngleConvention convention, Line line);

/// (x, y, w, h, angle): `regular` anchors of line 1.x are turned so that w >= h, by the convention.
Box box_of(const Bounds& bounds);
Box regular_box_of(const Bounds& bounds, AngleConvention convention);

/// 1.x writes `oc` in [-pi/2, 0), le90 and le135 with w >= h.
Box regularized(const Box& box, AngleConvention convention);

struct DeltaCoder {
  std::array<float, 5> stds = {1, 1, 1, 1, 1};
  std::optional<float> angle_factor{};  // the angle's delta is in units of factor * pi
  bool edge_swap = false;               // unless w > h, w and h are exchanged and the angle turned
  bool projected = false;               // the offset of the centre lies along the prior's sides
};

/// `deltas`: 5 numbers. `clamp`: the centre is kept inside of the picture.
Box decode_rotated(const Box& prior, const float* deltas, const DeltaCoder& coder,
                   AngleConvention convention, const PictureSize* clamp);
/// A rotated box against a horizontal prior; its centre is not clamped.
Box decode_rotated_of(const Bounds& prior, const float* deltas, const DeltaCoder& coder,
                      AngleConvention convention);
/// `deltas`: 4 numbers; clipped to the picture.
Bounds decode_horizontal(const Bounds& prior, const float* deltas, const PictureSize& size);
/// Oriented R-CNN's proposals. `deltas`: 6 numbers; the last two, times 0.5, move the midpoints of
/// the upper and the right side. Not finite for a box without extent.
Box decode_midpoint(const Bounds& prior, const float* deltas, AngleConvention convention,
                    Line line);
/// FCOS: `distances` left, top, right, bottom of the point in the turned frame. Sides keep their
/// order: a box of le90 may have w < h.
Box decode_distances(float x, float y, const float* distances, float angle,
                     AngleConvention convention);

}  // namespace grasppanda::models::mmrotate
