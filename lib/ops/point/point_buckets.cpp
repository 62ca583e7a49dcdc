#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/point/point_buckets.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "lib/ops/point/point_buckets.h"

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::buckets {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using F = hn::CappedTag<float, kGroup>;

/// Smallest and largest of `count` values, a multiple of the lanes.
HWY_INLINE void Extent(const float* HWY_RESTRICT values, std::size_t count, float& low,
                       float& high) {
  const F d;
  auto least = hn::LoadU(d, values), most = least;
  for (std::size_t k = hn::Lanes(d); k < count; k += hn::Lanes(d)) {
    const auto v = hn::LoadU(d, values + k);
    least = hn::Min(least, v);
    most = hn::Max(most, v);
  }
  low = hn::GetLane(hn::MinOfLanes(d, least));
  high = hn::GetLane(hn::MaxOfLanes(d, most));
}

/// Boxes of the full buckets first .. end - 1.
void BoxBuckets(PointBuckets& b, std::size_t first, std::size_t end) {
  for (std::size_t bucket = first; bucket < end; ++bucket)
    for (std::size_t c = 0; c < 3; ++c)
      Extent(b.xyz[c].data() + bucket * kBucket, kBucket, b.bucket.low[c][bucket],
             b.bucket.high[c][bucket]);
}

/// The box around the buckets of a group. Boxes without points change nothing.
void BoxGroup(PointBuckets& b, std::size_t group) {
  float unused;
  for (std::size_t c = 0; c < 3; ++c) {
    Extent(b.bucket.low[c].data() + group * kGroup, kGroup, b.group.low[c][group], unused);
    Extent(b.bucket.high[c].data() + group * kGroup, kGroup, unused, b.group.high[c][group]);
  }
}

/// The magnitudes of floats order like their bits.
std::uint32_t LargestBits(const float* HWY_RESTRICT values, std::size_t count) {
  const hn::ScalableTag<std::uint32_t> d;
  const auto* bits = reinterpret_cast<const std::uint32_t*>(values);
  const auto magnitude = hn::Set(d, 0x7FFFFFFFu);
  auto most = hn::Zero(d);
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= count; k += hn::Lanes(d))
    most = hn::Max(most, hn::And(hn::LoadU(d, bits + k), magnitude));
  std::uint32_t largest = hn::GetLane(hn::MaxOfLanes(d, most));
  for (; k < count; ++k) largest = std::max(largest, bits[k] & 0x7FFFFFFFu);
  return largest;
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::buckets
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace grasppanda::ops {
namespace buckets {
namespace {

HWY_EXPORT(BoxBuckets);
HWY_EXPORT(BoxGroup);
HWY_EXPORT(LargestBits);

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr std::int64_t kThreadsFrom = 50000;  // points

std::size_t whole(std::size_t count, std::size_t unit) {
  return (count + unit - 1) / unit * unit;
}

Boxes make_boxes(std::size_t count) {
  Boxes boxes;
  for (std::size_t c = 0; c < 3; ++c) {
    boxes.low[c] = Scratch<float>(count);
    boxes.high[c] = Scratch<float>(count);
  }
  return boxes;
}

void empty_box(Boxes& boxes, std::size_t box) {
  for (std::size_t c = 0; c < 3; ++c) {
    boxes.low[c][box] = kInfinity;
    boxes.high[c][box] = -kInfinity;
  }
}

/// Entries first .. end - 1 of the buckets.
template <class IndexOf>
void fill(PointBuckets& b, const float* points, const IndexOf& index_of, std::size_t first,
          std::size_t end) {
  float *x = b.xyz[0].data(), *y = b.xyz[1].data(), *z = b.xyz[2].data();
  for (std::size_t k = first; k < end; ++k) {
    // The points of a sorted cloud lie scattered in memory; ask for those to come.
    if (k + 16 < b.points) __builtin_prefetch(points + 3 * std::size_t{index_of(k + 16)});
    const std::uint32_t i = index_of(k);
    const float* p = points + 3 * std::size_t{i};
    x[k] = p[0];
    y[k] = p[1];
    z[k] = p[2];
    b.index[k] = i;
  }
}

/// The last buckets: partly filled, or empty.
void pad(PointBuckets& b, std::size_t bucket) {
  const std::size_t first = bucket * kBucket, end = std::clamp(b.points, first, first + kBucket);
  for (std::size_t k = end; k < first + kBucket; ++k) {
    for (auto& axis : b.xyz) axis[k] = kInfinity;
    b.index[k] = 0xFFFFFFFFu;
  }
  empty_box(b.bucket, bucket);
  for (std::size_t c = 0; c < 3 && first < end; ++c) {
    const auto [low, high] = std::minmax_element(b.xyz[c].data() + first, b.xyz[c].data() + end);
    b.bucket.low[c][bucket] = *low;
    b.bucket.high[c][bucket] = *high;
  }
}

template <class IndexOf>
PointBuckets build(const float* points, std::size_t n, const IndexOf& index_of, int threads) {
  if (!hwy::GetChosenTarget().IsInitialized())
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  PointBuckets b;
  b.points = n;
  const std::size_t groups =
      std::max<std::size_t>(1, (n + kBucket * kGroup - 1) / (kBucket * kGroup));
  b.bucket = make_boxes(groups * kGroup);
  b.group = make_boxes(whole(groups, kGroup));
  for (auto& axis : b.xyz) axis = Scratch<float>(b.size());
  b.index = Scratch<std::uint32_t>(b.size());
  for (std::size_t group = groups; group < b.group.size(); ++group) empty_box(b.group, group);

  const auto box_buckets = HWY_DYNAMIC_DISPATCH(BoxBuckets);
  const auto box_group = HWY_DYNAMIC_DISPATCH(BoxGroup);
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (std::size_t group = 0; group < groups; ++group) {
    const std::size_t first = group * kGroup, end = first + kGroup;
    const std::size_t full = std::clamp(n / kBucket, first, end);
    fill(b, points, index_of, first * kBucket, std::min(n, end * kBucket));
    box_buckets(b, first, full);
    for (std::size_t bucket = full; bucket < end; ++bucket) pad(b, bucket);
    box_group(b, group);
  }
  return b;
}

}  // namespace
}  // namespace buckets

PointBuckets make_point_buckets(const float* points, const Scratch<std::uint32_t>& order,
                                int threads) {
  const bool large = static_cast<std::int64_t>(order.size()) >= buckets::kThreadsFrom;
  return buckets::build(
      points, order.size(), [&](std::size_t k) { return order[k]; }, large ? threads : 1);
}

PointBuckets make_point_buckets(const float* points, std::int64_t n, int threads) {
  return buckets::build(
      points, static_cast<std::size_t>(n),
      [](std::size_t k) { return static_cast<std::uint32_t>(k); },
      n >= buckets::kThreadsFrom ? threads : 1);
}

float largest_magnitude(const float* values, std::int64_t count) {
  using namespace buckets;
  if (count < 16) {  // a single query: not worth the dispatch
    std::uint32_t largest = 0;
    for (std::int64_t i = 0; i < count; ++i)
      largest = std::max(largest, std::bit_cast<std::uint32_t>(values[i]) & 0x7FFFFFFFu);
    return std::bit_cast<float>(largest);
  }
  return std::bit_cast<float>(
      HWY_DYNAMIC_DISPATCH(LargestBits)(values, static_cast<std::size_t>(count)));
}

}  // namespace grasppanda::ops
#endif
