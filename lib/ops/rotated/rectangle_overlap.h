// The area that two rotated rectangles share, in double, and the ratios made of it.
//
// In the frame of one box the other is cut edge by edge. The area of a polygon inside [-W, W] x
// [-H, H] is the sum over its edges of the integral of clamp(y, -H, H) dx over the part of the edge
// with x in [-W, W]. Every term depends continuously on the corners, whatever they are: parallel,
// coinciding and nearly coinciding edges are no special cases, and nothing is compared with a
// tolerance. A rounding of a corner by d changes the area by at most d times the perimeter.
#pragma once

#include <cmath>

#include "lib/ops/rotated/box_frame.h"

namespace grasppanda::ops {

/// Share of the intersection in the union (iou) or in the area of the first box (iof).
enum class OverlapRatio { iou, iof };

namespace rectangle {

/// An overlap below this times (radius + radius) * (smaller radius) is rounding: boxes that only
/// touch share nothing.
inline constexpr double kNoise = 0x1p-48;

GRASPPANDA_HOST_DEVICE inline double clamp(double value, double limit) {
  const double low = value < -limit ? -limit : value;
  return low > limit ? limit : low;
}

/// Twice the integral of clamp(y, -H, H) dx, taken from right to left, over an edge within [-W, W].
GRASPPANDA_HOST_DEVICE inline double edge_term(double x0, double y0, double x1, double y1, double W,
                                               double H) {
  const double xa = clamp(x0, W), xb = clamp(x1, W);
  double slope = (y1 - y0) / (x1 - x0);
  if (!(fabs(slope) <= 1e300)) slope = 0;  // upright: it spans no x
  const double ya = y0 + (xa - x0) * slope, yb = y1 + (xb - x1) * slope;
  const double ca = clamp(ya, H), cb = clamp(yb, H);
  // The mean of the clamped line: its ends, and how much longer it lies on one limit than on the
  // other.
  const double rise = yb - ya, sum = ca + cb;
  double shift = ((ya + yb) - sum) / rise;
  if (rise == 0) shift = 0;
  return (xa - xb) * (sum + (cb - ca) * clamp(shift, 1));
}

/// Whether b's frame is the one to cut in, rather than a's: that of the smaller box, where a box
/// inside another is cut without rounding. A total order, so that a and b may be exchanged.
GRASPPANDA_HOST_DEVICE inline bool cut_in_second(const BoxFrame& a, const BoxFrame& b) {
  if (a.area != b.area) return b.area < a.area;
  if (a.x != b.x) return b.x < a.x;
  if (a.y != b.y) return b.y < a.y;
  if (a.half_w != b.half_w) return b.half_w < a.half_w;
  if (a.cosine != b.cosine) return b.cosine < a.cosine;
  return b.sine <= a.sine;
}

/// `a` cut by `b`, b the smaller one.
GRASPPANDA_HOST_DEVICE inline double shared_area_in_second(const BoxFrame& a, const BoxFrame& b) {
  const double dx = a.x - b.x, dy = a.y - b.y;
  const double x = dx * b.cosine + dy * b.sine, y = dy * b.cosine - dx * b.sine;
  const double cosine = a.cosine * b.cosine + a.sine * b.sine;
  const double sine = a.sine * b.cosine - a.cosine * b.sine;
  const double ux = a.half_w * cosine, uy = a.half_w * sine;
  const double vx = a.half_h * sine, vy = a.half_h * cosine;
  const double left = x - ux, right = x + ux, lower = y - uy, upper = y + uy;
  const double x0 = left + vx, y0 = lower - vy, x1 = right + vx, y1 = upper - vy;
  const double x2 = right - vx, y2 = upper + vy, x3 = left - vx, y3 = lower + vy;
  const double W = b.half_w, H = b.half_h;
  const double area = 0.5 * ((edge_term(x0, y0, x1, y1, W, H) + edge_term(x1, y1, x2, y2, W, H)) +
                             (edge_term(x2, y2, x3, y3, W, H) + edge_term(x3, y3, x0, y0, W, H)));
  const double noise =
      (kNoise * (a.radius + b.radius)) * (a.radius < b.radius ? a.radius : b.radius);
  if (!(area > noise)) return 0;
  return area < b.area ? area : b.area;
}

}  // namespace rectangle

/// The shared area; 0 for boxes that only touch and for a box that overlaps nothing. Exchanging the
/// boxes changes no bit.
GRASPPANDA_HOST_DEVICE inline double shared_area(const BoxFrame& a, const BoxFrame& b) {
  if (bounds_apart(a, b)) return 0;
  return rectangle::cut_in_second(a, b) ? rectangle::shared_area_in_second(a, b)
                                        : rectangle::shared_area_in_second(b, a);
}

/// In [0, 1], never NaN.
GRASPPANDA_HOST_DEVICE inline double overlap_ratio(const BoxFrame& a, const BoxFrame& b,
                                                   OverlapRatio ratio) {
  const double shared = shared_area(a, b);
  if (!(shared > 0)) return 0;
  if (ratio == OverlapRatio::iof) return shared / a.area < 1 ? shared / a.area : 1;
  return shared / ((a.area + b.area) - shared);
}

}  // namespace grasppanda::ops
