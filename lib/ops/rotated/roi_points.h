// The points of RoIs, computed once for all channels. No LibTorch here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/ops/rotated/roi_align_cpu.h"
#include "lib/ops/scratch.h"

namespace grasppanda::ops {

/// A point: four pixels of the map, -1 outside, and their weights.
struct RoiPoint {
  std::int32_t pixel[4];
  float weight[4];
};

/// RoIs with few points each are kept, others are computed again for every group of channels:
/// memory stays bounded whatever the RoIs ask for.
class RoiPoints {
 public:
  RoiPoints(const FeatureMaps& maps, const std::vector<PlannedRoi>& rois, int cells, int threads);

  /// Calls `visit(points, count)` for the points of cell (ph, pw) of a RoI, in order.
  template <class Visit>
  void visit(std::size_t roi, int ph, int pw, const Visit& visit) const {
    const RoiPlan& plan = rois_[roi].plan;
    const std::int64_t count = std::int64_t{plan.ny} * plan.nx;
    if (offset_[roi] >= 0) {
      visit(kept_.data() + offset_[roi] + (std::int64_t{ph} * cells_ + pw) * count, count);
      return;
    }
    RoiPoint some[kAtOnce];
    for (std::int64_t begin = 0; begin < count; begin += kAtOnce) {
      const std::int64_t end = begin + kAtOnce < count ? begin + kAtOnce : count;
      for (std::int64_t k = begin; k < end; ++k) some[k - begin] = point(plan, ph, pw, k);
      visit(static_cast<const RoiPoint*>(some), end - begin);
    }
  }

 private:
  static constexpr std::int64_t kAtOnce = 64;

  RoiPoint point(const RoiPlan& plan, int ph, int pw, std::int64_t k) const;

  const std::vector<PlannedRoi>& rois_;
  int height_, width_, cells_;
  std::vector<std::int64_t> offset_;  // of the first point of a RoI; -1: not kept
  Scratch<RoiPoint> kept_;
};

}  // namespace grasppanda::ops
