// Is a point inside a cylinder, for certain? The reference's rotated offset goes through a BLAS
// whose last bits nobody specifies; this decides only what no correct float32 product can change.
// The CPU and the CUDA kernel use the same functions.
#pragma once

#include <cmath>

#include "lib/ops/point/device_arithmetic.h"

namespace grasppanda::ops {

enum class Verdict { outside, inside, undecided };

/// A cylinder around a query: axis and radial directions are the columns of `rotation` (row-major).
/// Bounds as the reference compares them: rounded to float32.
struct CylinderBand {
  float rotation[9];
  float squared_radius, hmin;

  /// How far the float32 value of component k can be from the exact one (spec: "The cylinder band",
  /// point_ops section 5). The component itself is computed in double here, far more exactly.
  static constexpr double kUnit = 0x1p-24;
  static constexpr double kGamma = 3 * kUnit / (1 - 3 * kUnit);
  static constexpr double kTiny = 0x1p-124;
  /// Squares of components up to this one are far from overflow in float32.
  static constexpr double kLargest = 1e18;

  /// Rotated offset in double with its bounds.
  struct Offset {
    double value[3], error[3];
    bool certain;  // false: no verdict possible (huge or non-finite components)
    bool finite;   // false: the offset itself is not finite
  };

  GRASPPANDA_BOTH Offset offset(float ax, float ay, float az) const {
    Offset o;
    o.finite = device::is_finite(ax) && device::is_finite(ay) && device::is_finite(az);
    o.certain = true;
    for (int k = 0; k < 3; ++k) {
      const double x = double{ax} * rotation[k], y = double{ay} * rotation[3 + k],
                   z = double{az} * rotation[6 + k];
      o.value[k] = (x + y) + z;
      o.error[k] = kGamma * ((std::fabs(x) + std::fabs(y)) + std::fabs(z)) + kTiny;
      o.certain = o.certain && std::fabs(o.value[k]) + o.error[k] < kLargest;
    }
    return o;
  }

  /// Radius and lower end; the upper end is a question of its own, so that nested cylinders share
  /// this part.
  GRASPPANDA_BOTH Verdict within_radius_and_above(const Offset& o) const {
    const double low_x = o.value[0] - o.error[0], high_x = o.value[0] + o.error[0];
    if (high_x <= hmin) return Verdict::outside;
    double nearest = 0, farthest = 0;
    for (int k = 1; k < 3; ++k) {
      const double low = std::fmax(std::fabs(o.value[k]) - o.error[k], 0.0);
      const double high = std::fabs(o.value[k]) + o.error[k];
      nearest += low * low;
      farthest += high * high;
    }
    // Two squares and a sum in float32: within a factor 1 -+ 4u.
    if (nearest * (1 - 4 * kUnit) >= squared_radius) return Verdict::outside;
    const bool inside = low_x > hmin && farthest * (1 + 4 * kUnit) < squared_radius;
    return inside ? Verdict::inside : Verdict::undecided;
  }
  GRASPPANDA_BOTH static Verdict below(const Offset& o, float hmax) {
    if (o.value[0] - o.error[0] >= hmax) return Verdict::outside;
    return o.value[0] + o.error[0] < hmax ? Verdict::inside : Verdict::undecided;
  }
};

/// Squared radius of a sphere that holds the cylinder, or +inf where there is none to rely on: the
/// rotation is not one, or numbers are too large.
GRASPPANDA_BOTH float enclosing_sphere(const float* rotation, float squared_radius, float hmin,
                                       float hmax) {
  double worst = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double dot = 0;
      for (int k = 0; k < 3; ++k) dot += double{rotation[3 * k + i]} * rotation[3 * k + j];
      if (dot != dot) return device::kInfinity;
      worst = std::fmax(worst, std::fabs(dot - (i == j ? 1.0 : 0.0)));
    }
  // |R'R - I| <= 0.01 an entry bounds |d|^2 from below by 0.97 |a|^2; the rest is slack for
  // rounding.
  const double end = std::fmax(std::fabs(hmin), std::fabs(hmax));
  const double squared = (double{squared_radius} + end * end) * 1.05 + 1e-30;
  return worst <= 0.01 && squared < 1e30 ? static_cast<float>(squared) : device::kInfinity;
}

}  // namespace grasppanda::ops
