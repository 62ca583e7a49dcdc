// Two algorithms, one answer (spec: "Faster than brute force, still identical").
//
// Brute force: every sample updates every point. Pruned: points lie in buckets along a Morton
// curve, sixteen buckets to a group, each with its box and its largest running distance; a sample
// skips what is too far for it to lower anything. The skip needs no error margin: the box's lower
// bound is evaluated with the very expression of the distance, and rounding is monotone.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/point/furthest_point_sample_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

#include "lib/ops/point/bucket_lanes-inl.h"
#include "lib/ops/point/furthest_point_sample_cpu.h"
#include "lib/ops/point/morton_order.h"
#include "lib/ops/point/point_buckets.h"
#include "lib/ops/point/preference_order.h"
#include "lib/ops/scratch.h"

#ifndef GRASPPANDA_FPS_SHARED
#define GRASPPANDA_FPS_SHARED
namespace grasppanda::ops::fps {

constexpr std::size_t kBlock = 512;  // points of a brute-force block
// Below every running distance: padding can never be the largest.
constexpr float kNever = -1.0f;

struct Pick {
  float x, y, z;
};

/// The bucketed cloud at work: running distances, and the largest of each box.
struct Sampling {
  const PointBuckets& cloud;
  Scratch<float> running;
  Scratch<float> bucket_largest, group_largest;
  Scratch<std::uint64_t> bucket_best;  // (rank, index) preferred among those with the largest, or
};                                     // kUnknown: found when it is asked for
constexpr std::uint64_t kUnknown = ~std::uint64_t{0};

/// The cloud as it is, in preference order, padded to whole blocks.
struct Listed {
  std::vector<float> xyz[3], running;
  std::vector<float> block_largest;
};

}  // namespace grasppanda::ops::fps
#endif

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::fps {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using namespace lanes::HWY_NAMESPACE;

/// Bit k set: the sample may lower a running distance in box first + k (k < kGroup).
HWY_INLINE std::uint32_t Reached(const Boxes& boxes, const float* HWY_RESTRICT largest,
                                 std::size_t first, const Pick& sample) {
  const F d;
  const float at[3] = {sample.x, sample.y, sample.z};
  std::uint32_t reached = 0;
  for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d))
    reached |= Bits(hn::Lt(LowerBound(boxes, first + k, at, at), hn::LoadU(d, largest + first + k)))
               << k;
  return reached;
}

/// Largest of `count` values, a multiple of the lanes.
HWY_INLINE float Largest(const float* HWY_RESTRICT values, std::size_t count) {
  const F d;
  auto top = hn::LoadU(d, values);
  for (std::size_t k = hn::Lanes(d); k < count; k += hn::Lanes(d))
    top = hn::Max(top, hn::LoadU(d, values + k));
  return hn::GetLane(hn::MaxOfLanes(d, top));
}

/// Bit k set: values[k] == value (k < kGroup).
HWY_INLINE std::uint32_t EqualTo(const float* HWY_RESTRICT values, float value) {
  const F d;
  std::uint32_t equal = 0;
  for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d))
    equal |= Bits(hn::Eq(hn::LoadU(d, values + k), hn::Set(d, value))) << k;
  return equal;
}

/// Applies a sample to one bucket.
HWY_INLINE void UpdateBucket(Sampling& s, std::size_t bucket, const Pick& sample) {
  const F d;
  const float *x = s.cloud.xyz[0].data(), *y = s.cloud.xyz[1].data(), *z = s.cloud.xyz[2].data();
  float* running = s.running.data();
  const auto sx = hn::Set(d, sample.x), sy = hn::Set(d, sample.y), sz = hn::Set(d, sample.z);
  auto top = hn::Set(d, kNever);
  for (std::size_t k = bucket * kBucket; k < (bucket + 1) * kBucket; k += hn::Lanes(d)) {
    const auto distance = Sum(hn::Sub(hn::LoadU(d, x + k), sx), hn::Sub(hn::LoadU(d, y + k), sy),
                              hn::Sub(hn::LoadU(d, z + k), sz));
    const auto value = hn::Min(hn::LoadU(d, running + k), distance);
    hn::StoreU(value, d, running + k);
    top = hn::Max(top, value);
  }
  s.bucket_largest[bucket] = hn::GetLane(hn::MaxOfLanes(d, top));
  s.bucket_best[bucket] = kUnknown;
}

/// Applies a sample; returns the largest running distance.
float SampleBuckets(Sampling& s, const Pick& sample) {
  const std::size_t groups = s.group_largest.size();
  for (std::size_t first = 0; first < groups; first += kGroup) {
    std::uint32_t reached = Reached(s.cloud.group, s.group_largest.data(), first, sample);
    for (; reached != 0; reached &= reached - 1) {
      const std::size_t group = first + static_cast<std::size_t>(__builtin_ctz(reached));
      std::uint32_t buckets =
          Reached(s.cloud.bucket, s.bucket_largest.data(), group * kGroup, sample);
      if (buckets == 0) continue;
      for (; buckets != 0; buckets &= buckets - 1)
        UpdateBucket(s, group * kGroup + static_cast<std::size_t>(__builtin_ctz(buckets)), sample);
      s.group_largest[group] = Largest(s.bucket_largest.data() + group * kGroup, kGroup);
    }
  }
  return Largest(s.group_largest.data(), groups);
}

/// Calls `visit` for the buckets with this largest running distance.
template <class Visit>
HWY_INLINE void VisitBucketsWith(const Sampling& s, float largest, const Visit& visit) {
  for (std::size_t first = 0; first < s.group_largest.size(); first += kGroup) {
    std::uint32_t groups = EqualTo(s.group_largest.data() + first, largest);
    for (; groups != 0; groups &= groups - 1) {
      const std::size_t bucket = (first + static_cast<std::size_t>(__builtin_ctz(groups))) * kGroup;
      std::uint32_t buckets = EqualTo(s.bucket_largest.data() + bucket, largest);
      for (; buckets != 0; buckets &= buckets - 1)
        visit(bucket + static_cast<std::size_t>(__builtin_ctz(buckets)));
    }
  }
}

/// Bit k set: entry k of the bucket has this running distance.
HWY_INLINE std::uint32_t EntriesWith(const Sampling& s, std::size_t bucket, float largest) {
  static_assert(kBucket == 2 * kGroup);
  const float* running = s.running.data() + bucket * kBucket;
  return EqualTo(running, largest) | (EqualTo(running + kGroup, largest) << kGroup);
}

/// Index of the preferred point among those with this running distance. `order`: null for the
/// lowest index.
std::uint32_t BestWith(Sampling& s, float largest, const PointNet2Order* order) {
  std::uint64_t best = kUnknown;
  VisitBucketsWith(s, largest, [&](std::size_t bucket) HWY_ATTR {
    std::uint64_t& mine = s.bucket_best[bucket];
    if (mine == kUnknown)
      for (std::uint32_t k = EntriesWith(s, bucket, largest); k != 0; k &= k - 1) {
        const std::size_t entry = bucket * kBucket + static_cast<std::size_t>(__builtin_ctz(k));
        const std::uint32_t index = s.cloud.index[entry];
        const auto rank = order == nullptr ? std::uint64_t{index}
                                           : static_cast<std::uint64_t>(order->rank(index));
        mine = std::min(mine, (rank << 32) | index);
      }
    best = std::min(best, mine);
  });
  return static_cast<std::uint32_t>(best);
}

/// Position of the next sample in the list: the first entry with the largest running distance.
std::uint32_t SampleListed(Listed& list, const Pick& sample) {
  const F d;
  const auto sx = hn::Set(d, sample.x), sy = hn::Set(d, sample.y), sz = hn::Set(d, sample.z);
  const std::size_t blocks = list.block_largest.size();
  float largest = kNever;
  for (std::size_t block = 0; block < blocks; ++block) {
    auto top = hn::Set(d, kNever);
    const std::size_t end = (block + 1) * kBlock;
    for (std::size_t k = block * kBlock; k < end; k += hn::Lanes(d)) {
      const auto distance = Sum(hn::Sub(hn::LoadU(d, list.xyz[0].data() + k), sx),
                                hn::Sub(hn::LoadU(d, list.xyz[1].data() + k), sy),
                                hn::Sub(hn::LoadU(d, list.xyz[2].data() + k), sz));
      const auto value = hn::Min(hn::LoadU(d, list.running.data() + k), distance);
      hn::StoreU(value, d, list.running.data() + k);
      top = hn::Max(top, value);
    }
    list.block_largest[block] = hn::GetLane(hn::MaxOfLanes(d, top));
    largest = std::max(largest, list.block_largest[block]);
  }
  std::size_t block = 0;
  while (list.block_largest[block] != largest) ++block;
  std::size_t at = block * kBlock;
  while (list.running[at] != largest) ++at;
  return static_cast<std::uint32_t>(at);
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::fps
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace grasppanda::ops {
namespace fps {
namespace {

HWY_EXPORT(SampleBuckets);
HWY_EXPORT(SampleListed);
HWY_EXPORT(BestWith);

constexpr float kNearOrigin = 1e-3f;  // squared metres

bool near_origin(const float* p) {
  return (p[0] * p[0] + p[1] * p[1]) + p[2] * p[2] <= kNearOrigin;
}

/// Index of a rank under one of the tie rules.
class Preference {
 public:
  Preference(std::int64_t n, bool pointnet2) {
    if (pointnet2) indices_ = PointNet2Order(n).indices();
  }
  std::uint32_t index(std::uint32_t rank) const { return indices_.empty() ? rank : indices_[rank]; }

 private:
  std::vector<std::uint32_t> indices_;
};

/// The contract word by word, for clouds with values that are not finite.
void sample_plainly(const float* points, std::int64_t n, std::int64_t num_samples, bool skip,
                    const Preference& preference, std::int64_t* samples) {
  std::vector<float> running(static_cast<std::size_t>(n), std::numeric_limits<float>::infinity());
  samples[0] = 0;
  for (std::int64_t j = 1; j < num_samples; ++j) {
    const float* s = points + 3 * samples[j - 1];
    bool found = false;
    float largest = 0;
    std::int64_t best = 0;
    for (std::int64_t rank = 0; rank < n; ++rank) {
      const std::int64_t i = preference.index(static_cast<std::uint32_t>(rank));
      const float* p = points + 3 * i;
      const float dx = p[0] - s[0], dy = p[1] - s[1], dz = p[2] - s[2];
      const float distance = (dx * dx + dy * dy) + dz * dz;
      float& value = running[static_cast<std::size_t>(i)];
      // A NaN on either side spreads, as in torch.minimum.
      if (!(value <= distance) && !std::isnan(value)) value = distance;
      if (skip && near_origin(p)) continue;
      const bool wins = !found || (std::isnan(value) ? !std::isnan(largest) : value > largest);
      if (wins) found = true, largest = value, best = i;
    }
    samples[j] = best;
  }
}

void sample_listed(const float* points, std::int64_t num_samples,
                   const std::vector<std::uint32_t>& eligible, std::int64_t* samples) {
  Listed list;
  const std::size_t size = (eligible.size() + kBlock - 1) / kBlock * kBlock;
  for (auto& axis : list.xyz) axis.assign(size, 0.0f);
  list.running.assign(size, kNever);
  list.block_largest.assign(size / kBlock, kNever);
  for (std::size_t k = 0; k < eligible.size(); ++k) {
    for (std::size_t c = 0; c < 3; ++c)
      list.xyz[c][k] = points[3 * static_cast<std::size_t>(eligible[k]) + c];
    list.running[k] = std::numeric_limits<float>::infinity();
  }
  const auto step = HWY_DYNAMIC_DISPATCH(SampleListed);
  samples[0] = 0;
  for (std::int64_t j = 1; j < num_samples; ++j) {
    const float* s = points + 3 * samples[j - 1];
    samples[j] = eligible[step(list, Pick{s[0], s[1], s[2]})];
  }
}

/// Every running distance is infinite, every bucket with a point can win. With distances that
/// overflow a bucket may never be touched, and must still be able to.
Sampling start_sampling(const PointBuckets& cloud) {
  const std::size_t buckets = cloud.bucket.size(), groups = cloud.group.size();
  constexpr float kFar = std::numeric_limits<float>::infinity();
  Sampling s{cloud, Scratch<float>(cloud.size(), kFar), Scratch<float>(buckets, kFar),
             Scratch<float>(groups, kFar), Scratch<std::uint64_t>(buckets, kUnknown)};
  for (std::size_t k = cloud.points; k < cloud.size(); ++k) s.running[k] = kNever;
  for (std::size_t b = (cloud.points + kBucket - 1) / kBucket; b < buckets; ++b)
    s.bucket_largest[b] = kNever;
  for (std::size_t g = (cloud.points + kBucket * kGroup - 1) / (kBucket * kGroup); g < groups; ++g)
    s.group_largest[g] = kNever;
  return s;
}

}  // namespace
}  // namespace fps

void furthest_point_sample_cpu(const float* points, std::int64_t n, std::int64_t num_samples,
                               bool skip_near_origin, bool pointnet2_ties, int threads,
                               std::int64_t* samples) {
  using namespace fps;
  if (num_samples <= 0) return;
  if (!hwy::GetChosenTarget().IsInitialized())
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  const float largest = largest_magnitude(points, 3 * n);
  if (!std::isfinite(largest))
    return sample_plainly(points, n, num_samples, skip_near_origin, Preference(n, pointnet2_ties),
                          samples);

  // Near-origin points take no part at all: they stay outside both structures.
  std::vector<std::uint8_t> keep;
  std::int64_t eligible = n;
  if (skip_near_origin) {
    keep.resize(static_cast<std::size_t>(n));
    eligible = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      const bool far = !near_origin(points + 3 * i);
      keep[static_cast<std::size_t>(i)] = far;
      eligible += far;
    }
  }
  if (eligible == 0) {
    std::fill(samples, samples + num_samples, 0);
    return;
  }
  // Sorting pays from about ten passes over a thousand points on. The bound on the
  // coordinates keeps every square finite in the pruned structure.
  const bool prune = eligible >= 1500 && num_samples >= 24 && largest <= kLargestPrunable &&
                     eligible < std::int64_t{0xFFFFFFFE};
  if (!prune) {
    const Preference preference(n, pointnet2_ties);
    std::vector<std::uint32_t> list;
    list.reserve(static_cast<std::size_t>(eligible));
    for (std::int64_t rank = 0; rank < n; ++rank) {
      const std::uint32_t i = preference.index(static_cast<std::uint32_t>(rank));
      if (keep.empty() || keep[i] != 0) list.push_back(i);
    }
    return sample_listed(points, num_samples, list, samples);
  }
  const PointBuckets cloud = make_point_buckets(
      points, morton_order(points, n, keep.empty() ? nullptr : keep.data(), threads), threads);
  Sampling sampling = start_sampling(cloud);
  std::optional<PointNet2Order> order;
  if (pointnet2_ties) order.emplace(n);
  const PointNet2Order* ranks = order ? &*order : nullptr;
  const auto take = HWY_DYNAMIC_DISPATCH(SampleBuckets);
  const auto best_with = HWY_DYNAMIC_DISPATCH(BestWith);
  samples[0] = 0;
  for (std::int64_t j = 1; j < num_samples; ++j) {
    const float* s = points + 3 * samples[j - 1];
    samples[j] = best_with(sampling, take(sampling, Pick{s[0], s[1], s[2]}), ranks);
  }
}

}  // namespace grasppanda::ops
#endif
