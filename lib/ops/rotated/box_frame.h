// A rotated box as the exact overlap needs it: made once per box, in one place, so that reference,
// CPU and CUDA kernels start from the same bits.
#pragma once

#include <cmath>

#include "lib/ops/host_device.h"
#include "lib/ops/rotated/sine_cosine.h"

namespace grasppanda::ops {

/// Corners are centre +- half_w * (cosine, sine) +- half_h * (-sine, cosine).
struct BoxFrame {
  double x, y;
  double half_w, half_h;
  double cosine, sine;
  double area;                          // 0: overlaps nothing
  double radius;                        // half of the diagonal
  double low_x, low_y, high_x, high_y;  // bounds; crossed (+inf, -inf) where it overlaps nothing
};

/// A box with a component that is not finite, a side <= 0 or an area that is no normal number
/// overlaps nothing.
GRASPPANDA_HOST_DEVICE inline BoxFrame box_frame(double x, double y, double w, double h,
                                                 double angle) {
  constexpr double kLeastArea = 2.2250738585072014e-308, kInfinity = HUGE_VAL;
  const double sum = (((x - x) + (y - y)) + ((w - w) + (h - h))) + (angle - angle);
  const double area = w * h, half_w = 0.5 * w, half_h = 0.5 * h;
  const double radius = sqrt(half_w * half_w + half_h * half_h);
  if (!(sum == 0 && w > 0 && h > 0 && area >= kLeastArea && radius < kInfinity))
    return {0, 0, 0, 0, 1, 0, 0, 0, kInfinity, kInfinity, -kInfinity, -kInfinity};
  const SineCosine turn = sine_cosine(angle);
  const double ex = fabs(half_w * turn.cosine) + fabs(half_h * turn.sine);
  const double ey = fabs(half_w * turn.sine) + fabs(half_h * turn.cosine);
  return {x,    y,      half_w, half_h, turn.cosine, turn.sine,
          area, radius, x - ex, y - ey, x + ex,      y + ey};
}

/// Bounds strictly apart; touching ones are not.
GRASPPANDA_HOST_DEVICE inline bool bounds_apart(const BoxFrame& a, const BoxFrame& b) {
  return a.high_x < b.low_x || b.high_x < a.low_x || a.high_y < b.low_y || b.high_y < a.low_y;
}

}  // namespace grasppanda::ops
