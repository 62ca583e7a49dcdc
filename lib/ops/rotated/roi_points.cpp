#include "lib/ops/rotated/roi_points.h"

#include <algorithm>

#include "lib/ops/rotated/roi_sampling.h"

namespace grasppanda::ops {
namespace {

constexpr std::int64_t kMostKept = std::int64_t{1} << 20;  // points: 32 MiB

}  // namespace

RoiPoints::RoiPoints(const FeatureMaps& maps, const std::vector<PlannedRoi>& rois, int cells,
                     int threads)
    : rois_(rois),
      height_(maps.height),
      width_(maps.width),
      cells_(cells),
      offset_(rois.size(), -1) {
  std::int64_t total = 0;
  for (std::size_t k = 0; k < rois.size(); ++k) {
    const std::int64_t count = std::int64_t{cells} * cells * rois[k].plan.ny * rois[k].plan.nx;
    if (count > kMostKept - total) continue;
    offset_[k] = total;
    total += count;
  }
  kept_ = Scratch<RoiPoint>(static_cast<std::size_t>(total));
  const auto last = static_cast<std::ptrdiff_t>(rois.size());
#pragma omp parallel for num_threads(threads) schedule(dynamic, 16) if (threads > 1)
  for (std::ptrdiff_t k = 0; k < last; ++k) {
    const auto at = static_cast<std::size_t>(k);
    if (offset_[at] < 0) continue;
    const RoiPlan& plan = rois[at].plan;
    const std::int64_t count = std::int64_t{plan.ny} * plan.nx;
    RoiPoint* out = kept_.data() + offset_[at];
    for (int bin = 0; bin < cells * cells; ++bin)
      for (std::int64_t i = 0; i < count; ++i) *out++ = point(plan, bin / cells, bin % cells, i);
  }
}

RoiPoint RoiPoints::point(const RoiPlan& plan, int ph, int pw, std::int64_t k) const {
  float y = 0, x = 0;
  roi_point(plan, cells_, height_, width_, ph, pw, static_cast<int>(k / plan.nx),
            static_cast<int>(k % plan.nx), &y, &x);
  const RoiTaps taps = roi_taps(plan.kind, height_, width_, y, x);
  RoiPoint point;
  for (int tap = 0; tap < 4; ++tap) {
    point.pixel[tap] = static_cast<std::int32_t>(taps.place[tap]);
    point.weight[tap] = taps.weight[tap];
  }
  return point;
}

}  // namespace grasppanda::ops
