// The walk that ball_query and cylinder_query share: which points of a bucketed cloud lie strictly
// inside a sphere around a query, bucket by bucket, boxes that are too far skipped.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/ops/point/point_buckets.h"

namespace grasppanda::ops {

/// Takes the hits of one bucket, bit k for entry bucket * kBucket + k; false ends the walk.
using TakeHits = bool (*)(void* state, std::size_t bucket, std::uint32_t hits);

/// Calls `take` for every bucket with hits, in the order of the buckets. A hit is
/// (dx*dx + dy*dy) + dz*dz < squared_radius in float32. Query and cloud are finite.
/// Returns the number of buckets whose points were tested: what the walk cost.
std::size_t sphere_search_cpu(const PointBuckets& cloud, const float* query, float squared_radius,
                              TakeHits take, void* state);

}  // namespace grasppanda::ops
