// One cell of RoI align from one channel, for the kernels that go cell by cell.
#pragma once

#include "lib/ops/rotated/roi_sampling.h"

namespace grasppanda::ops {

/// The mean of the points of cell (ph, pw), added in order. map: height x width.
GRASPPANDA_HOST_DEVICE inline float roi_cell_mean(const RoiPlan& plan, int cells, const float* map,
                                                  int height, int width, int ph, int pw) {
  float sum = 0;
  for (int iy = 0; iy < plan.ny; ++iy)
    for (int ix = 0; ix < plan.nx; ++ix) {
      float y = 0, x = 0;
      roi_point(plan, cells, height, width, ph, pw, iy, ix, &y, &x);
      const RoiTaps taps = roi_taps(plan.kind, height, width, y, x);
      float value = 0;
      for (int k = 0; k < 4; ++k) {
        const float term = taps.weight[k] * (taps.place[k] < 0 ? 0 : map[taps.place[k]]);
        value = k == 0 ? term : value + term;
      }
      sum = sum + value;
    }
  const int points = plan.ny * plan.nx;
  return sum / static_cast<float>(points > 1 ? points : 1);
}

}  // namespace grasppanda::ops
