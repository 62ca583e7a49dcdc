// One sample and what it counts, for the kernels that go sample by sample; in float32, every step
// rounded on its own.
#pragma once

#include "lib/ops/rotated/sampled_box.h"

namespace grasppanda::ops {

struct SampledPoint {
  float x, y;
};

/// The point at (u, v) of a box, in sides from its centre.
GRASPPANDA_HOST_DEVICE inline SampledPoint sampled_point(const SampledBox& box, float u, float v) {
  const float x = u * box.w, y = v * box.h;
  return {box.x + (x * box.cosine - y * box.sine), box.y + (x * box.sine + y * box.cosine)};
}

/// On one side of all edges, whichever way round they go; on an edge is inside, NaN is not.
GRASPPANDA_HOST_DEVICE inline bool holds_point(const SampledBox& box, SampledPoint p) {
  bool left = true, right = true;
  for (int edge = 0; edge < 4; ++edge) {
    const int next = (edge + 1) % 4;
    const float ex = box.corner_x[next] - box.corner_x[edge];
    const float ey = box.corner_y[next] - box.corner_y[edge];
    const float cross = ex * (p.y - box.corner_y[edge]) - ey * (p.x - box.corner_x[edge]);
    left = left && cross >= 0;
    right = right && cross <= 0;
  }
  return left || right;
}

/// Whether sampled_nms measures a pair: Ia / max(wi hi + wj hj - Ia, 1e-8) > least_bound, Ia the
/// overlap of the bounds. NaN passes through it as through LibTorch's clamp_min.
GRASPPANDA_HOST_DEVICE inline bool bounds_may_suppress(const SampledBox& a, const SampledBox& b,
                                                       float least_bound) {
  using sampled::larger;
  using sampled::smaller;
  const float width = smaller(a.high_x, b.high_x) - larger(a.low_x, b.low_x);
  const float height = smaller(a.high_y, b.high_y) - larger(a.low_y, b.low_y);
  const float shared = (width < 0 ? 0 : width) * (height < 0 ? 0 : height);
  const float rest = (a.area + b.area) - shared;
  return shared / (rest < 1e-8F ? 1e-8F : rest) > least_bound;
}

}  // namespace grasppanda::ops
