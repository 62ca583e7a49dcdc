// A cloud cut into buckets along a curve, each with its box: the structure behind the pruned
// searches. Boxes are those of the stored float32 coordinates, so a bound that is evaluated with
// the expression of the distance itself needs no error margin: rounding is monotone.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/ops/scratch.h"

namespace grasppanda::ops {

inline constexpr std::size_t kBucket = 32;  // points of a bucket: two AVX-512 vectors
inline constexpr std::size_t kGroup = 16;   // buckets of a group: one AVX-512 vector

/// Axis-aligned boxes, structure of arrays. A box without points is low +inf, high -inf: every
/// point is infinitely far from it.
struct Boxes {
  Scratch<float> low[3], high[3];
  std::size_t size() const { return low[0].size(); }
};

/// Entries beyond `points` pad the last bucket: coordinates +inf, index 0xFFFFFFFF.
struct PointBuckets {
  std::size_t points = 0;
  Scratch<float> xyz[3];         // size() entries each, in curve order
  Scratch<std::uint32_t> index;  // of each entry in the cloud
  Boxes bucket;                  // padded to whole groups
  Boxes group;                   // padded to a multiple of kGroup
  std::size_t size() const { return bucket.size() * kBucket; }
};

/// `order`: indices of the points to hold, in curve order (see morton_order.h); fewer than 2^32
/// - 1.
PointBuckets make_point_buckets(const float* points, const Scratch<std::uint32_t>& order,
                                int threads);

/// The same with the cloud's own order, which costs no sort and prunes where the cloud came from a
/// depth image.
PointBuckets make_point_buckets(const float* points, std::int64_t n, int threads);

/// Largest magnitude of `count` values; NaN or infinite where any value is.
float largest_magnitude(const float* values, std::int64_t count);

/// Squares of sums of coordinates up to this one stay finite.
inline constexpr float kLargestPrunable = 1e18f;

}  // namespace grasppanda::ops
