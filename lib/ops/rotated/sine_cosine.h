// Sine and cosine in double from additions and multiplications alone: the same bits on every
// machine, on the host and on a device, which a libm does not promise.
#pragma once

#include <cmath>

#include "lib/ops/host_device.h"

namespace grasppanda::ops {

struct SineCosine {
  double sine, cosine;
};

/// An angle in (-pi, pi]: fmod by the double 2 pi, then one turn up or down, as the package of
/// rotated_ops.md wraps the angle of a single box. fmod is exact.
GRASPPANDA_HOST_DEVICE inline double wrapped_angle(double angle) {
  constexpr double kPi = 3.141592653589793, kTwoPi = 6.283185307179586;
  if (angle > -kPi && angle <= kPi) return angle;
  const double rest = fmod(angle, kTwoPi);
  if (rest > kPi) return rest - kTwoPi;
  return rest <= -kPi ? rest + kTwoPi : rest;
}

/// Taylor sums on [-pi/4, pi/4], where the first term left out is below 1e-19.
GRASPPANDA_HOST_DEVICE inline SineCosine sine_cosine_near_zero(double x) {
  const double z = x * x;
  double s = 1.0 / 355687428096000;  // 1 / 17!
  s = s * z - 1.0 / 1307674368000;
  s = s * z + 1.0 / 6227020800;
  s = s * z - 1.0 / 39916800;
  s = s * z + 1.0 / 362880;
  s = s * z - 1.0 / 5040;
  s = s * z + 1.0 / 120;
  s = s * z - 1.0 / 6;
  double c = -1.0 / 6402373705728000;  // 1 / 18!
  c = c * z + 1.0 / 20922789888000;
  c = c * z - 1.0 / 87178291200;
  c = c * z + 1.0 / 479001600;
  c = c * z - 1.0 / 3628800;
  c = c * z + 1.0 / 40320;
  c = c * z - 1.0 / 720;
  c = c * z + 1.0 / 24;
  return {x + x * (z * s), 1.0 - (0.5 * z - (z * z) * c)};
}

/// Of a finite angle, radians; within 2 units in the last place of the wrapped angle's own.
GRASPPANDA_HOST_DEVICE inline SineCosine sine_cosine(double angle) {
  constexpr double kQuarter = 0.7853981633974483;
  constexpr double kHalfPi = 1.5707963267948966, kHalfPiRest = 6.123233995736766e-17;
  const double a = wrapped_angle(angle);
  // The nearest quarter turn; its multiples of pi/2 are exact, so the difference is, too.
  double turns = 0;
  if (a > kQuarter) turns = a > 3 * kQuarter ? 2 : 1;
  if (a < -kQuarter) turns = a < -3 * kQuarter ? -2 : -1;
  const SineCosine near = sine_cosine_near_zero((a - turns * kHalfPi) - turns * kHalfPiRest);
  if (turns == 0) return near;
  if (turns == 1) return {near.cosine, -near.sine};
  if (turns == -1) return {-near.cosine, near.sine};
  return {-near.sine, -near.cosine};
}

}  // namespace grasppanda::ops
