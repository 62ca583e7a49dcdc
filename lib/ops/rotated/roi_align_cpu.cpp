// With the channels of a pixel side by side a point is four rows of floats, weighted and added.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/rotated/roi_align_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "lib/ops/rotated/channel_rows.h"
#include "lib/ops/rotated/roi_align_cpu.h"
#include "lib/ops/rotated/roi_sampling.h"

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::roi {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using F = hn::CappedTag<float, 16>;

/// sum += ((w0 p0 + w1 p1) + w2 p2) + w3 p3 over `count` channels, a multiple of 16.
HWY_INLINE void AddPoint(const float* const* pixels, const float* weights, std::size_t count,
                         float* HWY_RESTRICT sum) {
  const F d;
  const auto w0 = hn::Set(d, weights[0]), w1 = hn::Set(d, weights[1]);
  const auto w2 = hn::Set(d, weights[2]), w3 = hn::Set(d, weights[3]);
  for (std::size_t c = 0; c < count; c += hn::Lanes(d)) {
    auto value = hn::Mul(w0, hn::LoadU(d, pixels[0] + c));
    value = hn::Add(value, hn::Mul(w1, hn::LoadU(d, pixels[1] + c)));
    value = hn::Add(value, hn::Mul(w2, hn::LoadU(d, pixels[2] + c)));
    value = hn::Add(value, hn::Mul(w3, hn::LoadU(d, pixels[3] + c)));
    hn::StoreU(hn::Add(hn::LoadU(d, sum + c), value), d, sum + c);
  }
}

/// The mean of the points of one cell, all channels.
void Cell(const ChannelRows& rows, const PlannedRoi& roi, const FeatureMaps& maps, int cells,
          int ph, int pw, float* HWY_RESTRICT mean) {
  const F d;
  const auto count = static_cast<std::size_t>(rows.stride());
  std::fill(mean, mean + count, 0.0F);
  const RoiPlan& plan = roi.plan;
  for (int iy = 0; iy < plan.ny; ++iy)
    for (int ix = 0; ix < plan.nx; ++ix) {
      float y = 0, x = 0;
      roi_point(plan, cells, maps.height, maps.width, ph, pw, iy, ix, &y, &x);
      const RoiTaps taps = roi_taps(plan.kind, maps.height, maps.width, y, x);
      if (std::max({taps.place[0], taps.place[1], taps.place[2], taps.place[3]}) < 0) continue;
      const float* pixels[4];
      for (int k = 0; k < 4; ++k) pixels[k] = rows.pixel(roi.map, taps.place[k]);
      AddPoint(pixels, taps.weight, count, mean);
    }
  const auto points = hn::Set(d, static_cast<float>(std::max(1, plan.ny * plan.nx)));
  for (std::size_t c = 0; c < count; c += hn::Lanes(d))
    hn::StoreU(hn::Div(hn::LoadU(d, mean + c), points), d, mean + c);
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::roi
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace grasppanda::ops {
namespace roi {
HWY_EXPORT(Cell);
}  // namespace roi

void roi_align_cpu(const FeatureMaps& maps, const std::vector<PlannedRoi>& rois, int cells,
                   int threads, float* out) {
  using namespace roi;
  ChannelRows rows(maps);
  for (const PlannedRoi& roi : rois) rows.want(roi, cells);
  rows.fill(threads);
  const std::int64_t bins = std::int64_t{cells} * cells, stride = rows.stride();
  const auto last = static_cast<std::ptrdiff_t>(rois.size());
#pragma omp parallel num_threads(threads) if (threads > 1 && rois.size() > 1)
  {
    std::vector<float> means(static_cast<std::size_t>(bins * stride));
#pragma omp for schedule(dynamic, 4)
    for (std::ptrdiff_t k = 0; k < last; ++k) {
      for (int bin = 0; bin < static_cast<int>(bins); ++bin) HWY_DYNAMIC_DISPATCH(Cell)
      (rows, rois[static_cast<std::size_t>(k)], maps, cells, bin / cells, bin % cells,
       means.data() + bin * stride);
      float* to = out + k * maps.channels * bins;
      for (std::int64_t channel = 0; channel < maps.channels; ++channel)
        for (std::int64_t bin = 0; bin < bins; ++bin)
          *to++ = means[static_cast<std::size_t>(bin * stride + channel)];
    }
  }
}

}  // namespace grasppanda::ops
#endif
