// Boxes around runs of consecutive points: what lets a CUDA search skip most of a cloud that came
// from a depth image, and keeps index order. The bound of a box is evaluated with the very
// expression of the distance; rounding is monotone, so it needs no margin.
#pragma once

#include "lib/ops/cuda_interface.h"
#include "lib/ops/point/device_arithmetic.h"

namespace grasppanda::ops::device {

constexpr std::uint32_t kRun = 128;  // points: four steps of a warp
/// Clouds of fewer points are searched as they are.
constexpr std::int64_t kLeastBoxed = 1024;

GRASPPANDA_BOTH std::int64_t runs_of(std::int64_t n) {
  return (n + kRun - 1) / kRun;
}
GRASPPANDA_BOTH float gap(float low, float high, float at) {
  return larger(0, larger(subtract(low, at), subtract(at, high)));
}

/// The boxes of one cloud, axis by axis: the low ends of x, y, z of all runs, then the high ends.
/// `values` is null where there are none; then every run may hold anything.
struct RunBoxes {
  const float* values;
  std::uint32_t runs;

  /// No point of the run is nearer, in squared distance as it is computed; NaN distances apart.
  GRASPPANDA_BOTH float lower_bound(std::uint32_t run, const float* at) const {
    if (values == nullptr) return 0;
    float squares[3];
    for (std::uint32_t c = 0; c < 3; ++c)
      squares[c] = square(gap(values[c * runs + run], values[(3 + c) * runs + run], at[c]));
    return sum_middle_last(squares[0], squares[1], squares[2]);
  }
};

/// Fills `boxes` (clouds, 6, runs); does nothing where it is null.
const char* make_run_boxes(const GrasppandaCudaPlace& place, const float* support,
                           std::int64_t clouds, std::int64_t n, float* boxes);

}  // namespace grasppanda::ops::device
