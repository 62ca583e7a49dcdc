// The CPU kernel of sampled_nms. No LibTorch here.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/ops/rotated/sampled_box.h"

namespace grasppanda::ops {

/// Whether each box stays, one after the other; `grid` points a side.
std::vector<bool> sampled_nms_cpu(const std::vector<SampledBox>& boxes, float iou_threshold,
                                  float least_bound, std::size_t grid, int threads);

}  // namespace grasppanda::ops
