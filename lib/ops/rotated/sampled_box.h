// A rotated box as the sampled overlap needs it, in float32, made once per box for reference, CPU
// and CUDA kernels. NaN and infinity pass through: what becomes of them is part of the contract.
#pragma once

#include <cmath>

#include "lib/ops/host_device.h"
#include "lib/ops/rotated/sine_cosine.h"

namespace grasppanda::ops {

/// Corners (-w/2, -h/2), (w/2, -h/2), (w/2, h/2), (-w/2, h/2), rotated and shifted.
struct SampledBox {
  float x, y, w, h;
  float cosine, sine;
  float area;  // w * h, of either sign
  float corner_x[4], corner_y[4];
  float low_x, low_y, high_x, high_y;  // NaN where a corner is
};

namespace sampled {

/// The first of several that is NaN, as the reductions of LibTorch have it.
GRASPPANDA_HOST_DEVICE inline float least(const float* v) {
  float found = v[0];
  for (int i = 1; i < 4; ++i) found = found != found || found < v[i] ? found : v[i];
  return found;
}
GRASPPANDA_HOST_DEVICE inline float greatest(const float* v) {
  float found = v[0];
  for (int i = 1; i < 4; ++i) found = found != found || found > v[i] ? found : v[i];
  return found;
}
GRASPPANDA_HOST_DEVICE inline float smaller(float a, float b) {
  return a != a || a < b ? a : b;
}
GRASPPANDA_HOST_DEVICE inline float larger(float a, float b) {
  return a != a || a > b ? a : b;
}

}  // namespace sampled

GRASPPANDA_HOST_DEVICE inline SampledBox sampled_box(float x, float y, float w, float h,
                                                     float angle) {
  SampledBox box{};
  box.x = x;
  box.y = y;
  box.w = w;
  box.h = h;
  box.area = w * h;
  const SineCosine turn = sine_cosine(static_cast<double>(angle));
  box.cosine = static_cast<float>(turn.cosine);
  box.sine = static_cast<float>(turn.sine);
  for (int k = 0; k < 4; ++k) {
    const float u = (k == 1 || k == 2 ? 0.5F : -0.5F) * w, v = (k < 2 ? -0.5F : 0.5F) * h;
    box.corner_x[k] = x + (u * box.cosine - v * box.sine);
    box.corner_y[k] = y + (u * box.sine + v * box.cosine);
  }
  box.low_x = sampled::least(box.corner_x);
  box.low_y = sampled::least(box.corner_y);
  box.high_x = sampled::greatest(box.corner_x);
  box.high_y = sampled::greatest(box.corner_y);
  return box;
}

/// Place i of n, evenly spaced from -0.495 to 0.495, as torch.linspace spaces them: from both ends.
GRASPPANDA_HOST_DEVICE inline float grid_value(long long i, long long n) {
  constexpr float kStart = -0.495F, kEnd = 0.495F;
  if (n == 1) return kStart;
  const float step = (kEnd - kStart) / static_cast<float>(n - 1);
  return i < n / 2 ? kStart + step * static_cast<float>(i)
                   : kEnd - step * static_cast<float>(n - 1 - i);
}

/// Bounds that share a point; with a NaN they do not.
GRASPPANDA_HOST_DEVICE inline bool bounds_meet(const SampledBox& a, const SampledBox& b) {
  return a.low_x <= b.high_x && b.low_x <= a.high_x && a.low_y <= b.high_y && b.low_y <= a.high_y;
}

/// IoU from the counts of samples of either box inside the other.
GRASPPANDA_HOST_DEVICE inline float sampled_ratio(const SampledBox& a, const SampledBox& b,
                                                  float count_a, float count_b, float samples) {
  using sampled::larger;
  using sampled::smaller;
  float shared = larger((count_a / samples) * a.area, (count_b / samples) * b.area);
  shared = smaller(shared, smaller(a.area, b.area));
  const float whole = larger((a.area + b.area) - shared, shared + 1e-8F);
  const float ratio = shared / (whole + 1e-8F);
  if (ratio != ratio) return ratio;
  return (ratio < 0 ? 0 : (ratio > 1 ? 1 : ratio)) + 0.0F;  // no negative zero
}

}  // namespace grasppanda::ops
