// The CPU kernel of roi_align. No LibTorch here.
#pragma once

#include <cstdint>
#include <vector>

#include "lib/ops/rotated/roi_plan.h"

namespace grasppanda::ops {

/// A batch of feature maps, (batch, channels, height, width) in a row.
struct FeatureMaps {
  const float* values;
  std::int64_t batch, channels;
  int height, width;
};

/// One RoI and the map it reads.
struct PlannedRoi {
  RoiPlan plan;
  std::int64_t map;
};

/// out (rois, channels, cells, cells): every entry is written.
void roi_align_cpu(const FeatureMaps& maps, const std::vector<PlannedRoi>& rois, int cells,
                   int threads, float* out);

}  // namespace grasppanda::ops
