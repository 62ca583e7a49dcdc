// What decides in the CUDA kernel of cylinder_query besides the band, for the device and for tests
// on the CPU.
#pragma once

#include <cmath>

#include "lib/ops/point/device_arithmetic.h"

namespace grasppanda::ops::device {

/// Squared radius of a sphere that holds the cylinder, or +inf where there is none to rely on: the
/// rotation is not one, or numbers are too large.
GRASPPANDA_BOTH float enclosing_sphere(const float* rotation, float squared_radius, float hmin,
                                       float hmax) {
  double worst = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double dot = 0;
      for (int k = 0; k < 3; ++k) dot += double{rotation[3 * k + i]} * rotation[3 * k + j];
      if (dot != dot) return kInfinity;
      worst = std::fmax(worst, std::fabs(dot - (i == j ? 1.0 : 0.0)));
    }
  // |R'R - I| <= 0.01 an entry bounds |d|^2 from below by 0.97 |a|^2; the rest is slack for
  // rounding.
  const double end = std::fmax(std::fabs(hmin), std::fabs(hmax));
  const double squared = (double{squared_radius} + end * end) * 1.05 + 1e-30;
  return worst <= 0.01 && squared < 1e30 ? static_cast<float>(squared) : kInfinity;
}

}  // namespace grasppanda::ops::device
