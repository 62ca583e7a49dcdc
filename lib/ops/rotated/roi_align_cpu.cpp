// With the channels of a pixel side by side a point is four rows of floats, weighted and added.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/rotated/roi_align_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "lib/ops/rotated/channel_rows.h"
#include "lib/ops/rotated/roi_align_cpu.h"
#include "lib/ops/rotated/roi_points.h"

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::roi {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using F = hn::CappedTag<float, 16>;
using V = hn::Vec<F>;

/// The four pixels of a point from channel `c` on.
struct Taps {
  const float* pixel[4];

  HWY_INLINE Taps(const RoiPoint& point, const float* map, const float* zeros, std::size_t stride,
                  std::size_t c) {
    for (int k = 0; k < 4; ++k)
      pixel[k] = point.pixel[k] < 0 ? zeros + c
                                    : map + static_cast<std::size_t>(point.pixel[k]) * stride + c;
  }
};

/// ((w0 p0 + w1 p1) + w2 p2) + w3 p3 of the lanes from `c` on.
HWY_INLINE V Weighted(const Taps& taps, const RoiPoint& point, std::size_t c) {
  const F d;
  const auto term = [&](int k) HWY_ATTR {
    return hn::Mul(hn::Set(d, point.weight[k]), hn::LoadU(d, taps.pixel[k] + c));
  };
  return hn::Add(hn::Add(hn::Add(term(0), term(1)), term(2)), term(3));
}

/// sum += point after point, over `count` channels, a multiple of 16. Sums of some channels stay in
/// registers while the points pass.
void AddPoints(const RoiPoint* points, std::int64_t number, const float* map, const float* zeros,
               std::size_t count, float* HWY_RESTRICT sum) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t c = 0;
  for (; c + 4 * lanes <= count; c += 4 * lanes) {
    V s0 = hn::LoadU(d, sum + c), s1 = hn::LoadU(d, sum + c + lanes);
    V s2 = hn::LoadU(d, sum + c + 2 * lanes), s3 = hn::LoadU(d, sum + c + 3 * lanes);
    for (std::int64_t k = 0; k < number; ++k) {
      const Taps taps(points[k], map, zeros, count, c);
      s0 = hn::Add(s0, Weighted(taps, points[k], 0));
      s1 = hn::Add(s1, Weighted(taps, points[k], lanes));
      s2 = hn::Add(s2, Weighted(taps, points[k], 2 * lanes));
      s3 = hn::Add(s3, Weighted(taps, points[k], 3 * lanes));
    }
    hn::StoreU(s0, d, sum + c);
    hn::StoreU(s1, d, sum + c + lanes);
    hn::StoreU(s2, d, sum + c + 2 * lanes);
    hn::StoreU(s3, d, sum + c + 3 * lanes);
  }
  for (; c < count; c += lanes) {
    V s = hn::LoadU(d, sum + c);
    for (std::int64_t k = 0; k < number; ++k)
      s = hn::Add(s, Weighted(Taps(points[k], map, zeros, count, c), points[k], 0));
    hn::StoreU(s, d, sum + c);
  }
}

/// Means of the cells of one RoI: (cells * cells, stride), the channels of a cell side by side.
void Means(const ChannelRows& rows, const RoiPoints& points, const PlannedRoi& roi,
           std::size_t index, int cells, float* HWY_RESTRICT means) {
  const F d;
  const auto stride = static_cast<std::size_t>(rows.stride());
  const float* map = rows.map(roi.map);
  std::fill(means,
            means + static_cast<std::size_t>(cells) * static_cast<std::size_t>(cells) * stride,
            0.0F);
  const auto number = hn::Set(d, static_cast<float>(std::max(1, roi.plan.ny * roi.plan.nx)));
  for (int ph = 0; ph < cells; ++ph)
    for (int pw = 0; pw < cells; ++pw) {
      points.visit(index, ph, pw, [&](const RoiPoint* some, std::int64_t count) HWY_ATTR {
        AddPoints(some, count, map, rows.zeros(), stride, means);
      });
      for (std::size_t c = 0; c < stride; c += hn::Lanes(d))
        hn::StoreU(hn::Div(hn::LoadU(d, means + c), number), d, means + c);
      means += stride;
    }
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::roi
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace grasppanda::ops {
namespace roi {
HWY_EXPORT(Means);
}  // namespace roi

void roi_align_cpu(const FeatureMaps& maps, const std::vector<PlannedRoi>& rois, int cells,
                   int threads, float* out) {
  using namespace roi;
  ChannelRows rows(maps);
  for (const PlannedRoi& roi : rois) rows.want(roi, cells);
  const RoiPoints points(maps, rois, cells, threads);
  const auto means_of = HWY_DYNAMIC_DISPATCH(Means);
  const std::int64_t bins = std::int64_t{cells} * cells;
  const auto last = static_cast<std::ptrdiff_t>(rois.size());
  for (std::int64_t first = 0; first < maps.channels; first += ChannelRows::kGroup) {
    rows.fill(first, threads);
    const std::int64_t stride = rows.stride(), channels = rows.channels();
#pragma omp parallel num_threads(threads) if (threads > 1 && last > 1)
    {
      Scratch<float> means(static_cast<std::size_t>(bins * stride));
#pragma omp for schedule(dynamic, 4)
      for (std::ptrdiff_t k = 0; k < last; ++k) {
        const auto at = static_cast<std::size_t>(k);
        means_of(rows, points, rois[at], at, cells, means.data());
        float* to = out + (k * maps.channels + first) * bins;
        for (std::int64_t channel = 0; channel < channels; ++channel)
          for (std::int64_t bin = 0; bin < bins; ++bin)
            *to++ = means.data()[bin * stride + channel];
      }
    }
  }
}

}  // namespace grasppanda::ops
#endif
