// Rotated boxes: the conventions in which their angle is written, and corner polygons. Image axes,
// x right and y down, pixels; a positive angle turns from +x towards +y, clockwise on the screen.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace grasppanda::geometry {

using Vec2 = std::array<double, 2>;
using Quad = std::array<Vec2, 4>;

/// A local point (x, y) lies at (cx + x cos - y sin, cy + x sin + y cos).
struct RotatedBox {
  double cx = 0, cy = 0, w = 0, h = 0, angle = 0;  // radians
};

/// oc:    angle in (0, pi/2], either side may be the longer one (OpenCV from 4.5.1 on)
/// le90:  w >= h, angle in [-pi/2, pi/2)
/// le135: w >= h, angle in [-pi/4, 3 pi/4)
enum class AngleConvention : std::uint8_t { oc, le90, le135 };
std::string_view angle_convention_name(AngleConvention convention);
std::optional<AngleConvention> parse_angle_convention(std::string_view name);

/// The angle of le90 or le135 that differs by a multiple of pi; `oc` leaves it as it is, as the
/// detectors trained in that convention do.
double wrapped_angle(double angle, AngleConvention convention);

/// The same rectangle written in a convention. Equal sides are not exchanged.
RotatedBox in_convention(const RotatedBox& box, AngleConvention convention);

/// Corners (-w/2, -h/2), (w/2, -h/2), (w/2, h/2), (-w/2, h/2); their signed area is w * h.
Quad corners(const RotatedBox& box);

/// Shoelace rule; positive for a turn from +x towards +y.
double signed_area(std::span<const Vec2> polygon);

/// Least and greatest x and y: (x1, y1, x2, y2).
std::array<double, 4> bounds(std::span<const Vec2> points);

/// The box of a rectangle given by its corners; w and h from two sides, nothing is fitted.
RotatedBox box_of_rectangle(const Quad& rectangle, AngleConvention convention);

/// The box that oriented-det makes of a labelled quadrilateral: from the topmost corner (the left
/// one of two) on, in positive order, the means of opposite sides. In no convention. Throws
/// std::invalid_argument for corners that are not finite, repeated or without area.
RotatedBox box_of_quad(const Quad& quad);

/// The rectangle of least area around the points, in a convention; of equal ones that of mmrotate's
/// annotations. Throws std::invalid_argument where no three points span an area.
RotatedBox least_rectangle(std::span<const Vec2> points, AngleConvention convention);

/// The same corners, begun at the one nearest to the upper left: of the four cyclic shifts the
/// first with the least sum of distances to the corners of the bounds.
Quad from_upper_left(const Quad& quad);

}  // namespace grasppanda::geometry
