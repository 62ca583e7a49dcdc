// The vector kernels that exact IoU and NMS are made of.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/ops/rotated/box_table.h"
#include "lib/ops/rotated/rectangle_overlap.h"

namespace grasppanda::ops {

/// out[k] = overlap_ratio(first[i[k]], second[j[k]], ratio), bit for bit.
void overlap_pairs_cpu(const BoxFrame* first, const std::uint32_t* i, const BoxFrame* second,
                       const std::uint32_t* j, std::size_t count, OverlapRatio ratio, double* out);

/// Lists k of [begin, end) whose bounds meet those of entry `at` of `others`, ascending, and
/// returns how many: all that may overlap it, and few others. `found` takes end - begin entries.
std::size_t meeting_bounds_cpu(const OuterBounds& others, std::size_t at, const OuterBounds& bounds,
                               std::size_t begin, std::size_t end, std::uint32_t* found);

}  // namespace grasppanda::ops
