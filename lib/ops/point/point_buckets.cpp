#include "lib/ops/point/point_buckets.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace grasppanda::ops {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

std::size_t whole(std::size_t count, std::size_t unit) {
  return (count + unit - 1) / unit * unit;
}

template <class IndexOf>
PointBuckets build(const float* points, std::size_t n, const IndexOf& index_of, int threads) {
  PointBuckets b;
  b.points = n;
  const std::size_t groups =
      std::max<std::size_t>(1, (n + kBucket * kGroup - 1) / (kBucket * kGroup));
  b.bucket.resize(groups * kGroup);
  b.group.resize(whole(groups, kGroup));
  // Left uninitialised: the loop writes every entry.
  for (auto& axis : b.xyz) axis = std::make_unique_for_overwrite<float[]>(b.size());
  b.index = std::make_unique_for_overwrite<std::uint32_t[]>(b.size());

#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (std::size_t group = 0; group < groups; ++group) {
    for (std::size_t bucket = group * kGroup; bucket < (group + 1) * kGroup; ++bucket) {
      const std::size_t first = bucket * kBucket;
      const std::size_t end = std::clamp(n, first, first + kBucket);
      for (std::size_t k = first; k < end; ++k) {
        // The points of a sorted cloud lie scattered in memory; ask for those to come.
        if (k + 16 < n) __builtin_prefetch(points + 3 * std::size_t{index_of(k + 16)});
        const std::uint32_t i = index_of(k);
        for (std::size_t c = 0; c < 3; ++c) b.xyz[c][k] = points[3 * std::size_t{i} + c];
        b.index[k] = i;
      }
      for (std::size_t k = end; k < first + kBucket; ++k) {
        for (auto& axis : b.xyz) axis[k] = kInfinity;
        b.index[k] = 0xFFFFFFFFu;
      }
      for (std::size_t c = 0; c < 3 && first < end; ++c) {
        const auto [low, high] = std::minmax_element(b.xyz[c].get() + first, b.xyz[c].get() + end);
        b.bucket.low[c][bucket] = *low;
        b.bucket.high[c][bucket] = *high;
      }
      b.group.cover(group, b.bucket, bucket);
    }
  }
  return b;
}

}  // namespace

void Boxes::resize(std::size_t count) {
  for (std::size_t c = 0; c < 3; ++c) {
    low[c].assign(count, kInfinity);
    high[c].assign(count, -kInfinity);
  }
}

void Boxes::cover(std::size_t box, const Boxes& others, std::size_t other) {
  for (std::size_t c = 0; c < 3; ++c) {
    low[c][box] = std::min(low[c][box], others.low[c][other]);
    high[c][box] = std::max(high[c][box], others.high[c][other]);
  }
}

PointBuckets make_point_buckets(const float* points, const std::vector<std::uint32_t>& order,
                                int threads) {
  const bool large = order.size() >= 200000;
  return build(
      points, order.size(), [&](std::size_t k) { return order[k]; }, large ? threads : 1);
}

PointBuckets make_point_buckets(const float* points, std::int64_t n) {
  return build(
      points, static_cast<std::size_t>(n),
      [](std::size_t k) { return static_cast<std::uint32_t>(k); }, 1);
}

float largest_magnitude(const float* values, std::int64_t count) {
  // The magnitudes of floats order like their bits; integers let the compiler use vectors.
  std::uint32_t largest = 0;
  for (std::int64_t i = 0; i < count; ++i)
    largest = std::max(largest, std::bit_cast<std::uint32_t>(values[i]) & 0x7FFFFFFFu);
  return std::bit_cast<float>(largest);
}

}  // namespace grasppanda::ops
