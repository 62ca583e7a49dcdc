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
void sphere_search_cpu(const PointBuckets& cloud, const float* query, float squared_radius,
                       TakeHits take, void* state);

/// Share of the cloud inside a sphere around an average query, from a sample of some thousand
/// pairs: decides about speed only.
double share_in_sphere(const float* query, std::int64_t m, const float* support, std::int64_t n,
                       float squared_radius);

/// What a walk costs, in nanoseconds of one core.
struct WalkCost {
  double per_bucket;  // in index order, for each bucket until enough hits are found
  double per_hit;     // along the curve, for each point near the query
};

/// Is it cheaper to sort `n` points along a curve and walk only the buckets near each of `m`
/// queries, than to walk the cloud in its own order until `wanted` points near the query are found?
/// `share`: of the cloud near a query.
bool curve_pays(std::int64_t m, std::int64_t n, double share, double wanted, const WalkCost& cost);

}  // namespace grasppanda::ops
