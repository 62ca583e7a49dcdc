// The CPU kernel of rotated_nms. No LibTorch here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/ops/rotated/box_frame.h"
#include "lib/ops/rotated/box_table.h"

namespace grasppanda::ops {

/// Whether each member of a group stays. `members`: places in `frames`, best first. Suppression at
/// iou > threshold, or >= (then the threshold is above 0).
std::vector<bool> rotated_nms_cpu(const std::vector<BoxFrame>& frames, const OuterBounds& bounds,
                                  const std::vector<std::uint32_t>& members, double threshold,
                                  bool at_equality);

}  // namespace grasppanda::ops
