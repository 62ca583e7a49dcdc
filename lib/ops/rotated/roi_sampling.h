// Where RoI align reads its feature map: the points of every cell and the four pixels around each.
// In float32, written once for reference, CPU and CUDA kernels.
#pragma once

#include <cmath>
#include <cstdint>

#include "lib/ops/host_device.h"
#include "lib/ops/rotated/roi_plan.h"

namespace grasppanda::ops {

/// Four pixels, as places in the map; -1 is a pixel outside that counts 0.
struct RoiTaps {
  std::int64_t place[4];
  float weight[4];
};

/// Cell i of n between -1 and 1, as torch.linspace spaces them.
GRASPPANDA_HOST_DEVICE inline float spanning_place(int i, int n) {
  if (n == 1) return -1;
  const float step = 2.0F / static_cast<float>(n - 1);
  return i < n / 2 ? -1.0F + step * static_cast<float>(i)
                   : 1.0F - step * static_cast<float>(n - 1 - i);
}

/// A point of cell (ph, pw) in pixels of the map.
GRASPPANDA_HOST_DEVICE inline void roi_point(const RoiPlan& plan, int cells, int height, int width,
                                             int ph, int pw, int iy, int ix, float* y, float* x) {
  if (plan.kind == RoiKind::spanning) {
    const float u = spanning_place(pw, cells) * plan.step_x;
    const float v = spanning_place(ph, cells) * plan.step_y;
    const float px = (plan.centre_x + (u * plan.cosine - v * plan.sine)) * plan.scale;
    const float py = (plan.centre_y + (u * plan.sine + v * plan.cosine)) * plan.scale;
    // To grid_sample's coordinates and back, as the package goes.
    const auto w = static_cast<float>(width), h = static_cast<float>(height);
    *x = (((px / (w / 2) - 1) + 1) * w - 1) / 2;
    *y = (((py / (h / 2) - 1) + 1) * h - 1) / 2;
    return;
  }
  const float yy = (plan.start_y + static_cast<float>(ph) * plan.step_y) +
                   ((static_cast<float>(iy) + 0.5F) * plan.step_y) / static_cast<float>(plan.ny);
  const float xx = (plan.start_x + static_cast<float>(pw) * plan.step_x) +
                   ((static_cast<float>(ix) + 0.5F) * plan.step_x) / static_cast<float>(plan.nx);
  if (plan.kind == RoiKind::horizontal) {
    *y = yy;
    *x = xx;
    return;
  }
  *y = (yy * plan.cosine + xx * plan.sine) + plan.centre_y;
  *x = (xx * plan.cosine - yy * plan.sine) + plan.centre_x;
}

/// The pixels around a point; no place where the point counts 0.
GRASPPANDA_HOST_DEVICE inline RoiTaps roi_taps(RoiKind kind, int height, int width, float y,
                                               float x) {
  RoiTaps taps{{-1, -1, -1, -1}, {0, 0, 0, 0}};
  const bool zeros = kind == RoiKind::spanning;  // beyond the map; else its border goes on
  if (!(y >= -1 && y <= static_cast<float>(height) && x >= -1 && x <= static_cast<float>(width)))
    return taps;
  if (!zeros && y <= 0) y = 0;
  if (!zeros && x <= 0) x = 0;
  const float floor_y = floorf(y), floor_x = floorf(x);
  auto y0 = static_cast<std::int64_t>(floor_y), x0 = static_cast<std::int64_t>(floor_x);
  std::int64_t y1 = y0 + 1, x1 = x0 + 1;
  float ly = y - floor_y, lx = x - floor_x;
  if (!zeros && y0 >= height - 1) {
    y0 = y1 = height - 1;
    ly = 0;
  }
  if (!zeros && x0 >= width - 1) {
    x0 = x1 = width - 1;
    lx = 0;
  }
  const float hy = 1 - ly, hx = 1 - lx;
  const std::int64_t ys[4] = {y0, y0, y1, y1}, xs[4] = {x0, x1, x0, x1};
  const float weights[4] = {hy * hx, hy * lx, ly * hx, ly * lx};
  for (int k = 0; k < 4; ++k) {
    taps.weight[k] = weights[k];
    if (ys[k] >= 0 && ys[k] < height && xs[k] >= 0 && xs[k] < width)
      taps.place[k] = ys[k] * width + xs[k];
  }
  return taps;
}

}  // namespace grasppanda::ops
