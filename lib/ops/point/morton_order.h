// Points in the order of a Morton (Z) curve: neighbours in space become neighbours in memory, which
// is what the pruned searches need. Only speed depends on this order, never a result.
#pragma once

#include <cstdint>

#include "lib/ops/scratch.h"

namespace grasppanda::ops {

/// Indices 0..n-1 of the points that `keep` admits (null: all), along the curve.
///
/// points  n rows of x, y, z; finite, |coordinate| <= 1e18
/// keep    one byte a point, 0 leaves it out; or null
/// Cost    a few nanoseconds a point: one pass of keys, two of a radix sort, in `threads` threads
///         where the cloud is large.
Scratch<std::uint32_t> morton_order(const float* points, std::int64_t n, const std::uint8_t* keep,
                                    int threads);

}  // namespace grasppanda::ops
