// Two algorithms, one answer (spec: "Faster than brute force, still identical").
//
// Brute force: every sample updates every point. Pruned: points lie in buckets along a Morton
// curve, each with its box and its largest running distance; a sample skips a bucket whose box is
// too far to lower anything. The skip needs no error margin: the box's lower bound is evaluated
// with the very expression of the distance, and rounding is monotone.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/point/furthest_point_sample_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

#include "lib/ops/point/furthest_point_sample_cpu.h"
#include "lib/ops/point/morton_order.h"
#include "lib/ops/point/point_buckets.h"
#include "lib/ops/point/preference_order.h"

#ifndef GRASPPANDA_FPS_SHARED
#define GRASPPANDA_FPS_SHARED
namespace grasppanda::ops::fps {

constexpr std::size_t kBlock = 512;  // points of a brute-force block
constexpr std::uint32_t kNoRank = 0xFFFFFFFFu;
// Below every running distance: padding can never be the largest.
constexpr float kNever = -1.0f;

/// Per box: the largest running distance inside, and the preferred rank among those that have it.
struct Leaders {
  std::vector<float> largest;
  std::vector<std::uint32_t> rank;
  explicit Leaders(std::size_t count) : largest(count, kNever), rank(count, kNoRank) {}
};

/// The bucketed cloud at work.
struct Sampling {
  const PointBuckets& cloud;
  std::unique_ptr<float[]> running;
  std::unique_ptr<std::uint32_t[]> rank;
  Leaders bucket, group;
};

/// The cloud as it is, in preference order, padded to whole blocks.
struct Listed {
  std::vector<float> xyz[3], running;
  std::vector<float> block_largest;
};

struct Pick {
  float x, y, z;
};

}  // namespace grasppanda::ops::fps
#endif

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::fps {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// No more lanes than a group has buckets.
using F = hn::CappedTag<float, kGroup>;
using U = hn::RebindToUnsigned<F>;

HWY_INLINE hn::Vec<F> SquaredDistance(hn::Vec<F> dx, hn::Vec<F> dy, hn::Vec<F> dz) {
  return hn::Add(hn::Add(hn::Mul(dx, dx), hn::Mul(dy, dy)), hn::Mul(dz, dz));
}

/// Bit k set: the sample may lower a running distance in box first + k (k < kGroup).
HWY_INLINE std::uint32_t Reached(const Boxes& boxes, const Leaders& leaders, std::size_t first,
                                 const Pick& sample) {
  const F d;
  const std::size_t lanes = hn::Lanes(d);
  const auto zero = hn::Zero(d);
  const auto sx = hn::Set(d, sample.x), sy = hn::Set(d, sample.y), sz = hn::Set(d, sample.z);
  std::uint32_t reached = 0;
  for (std::size_t k = 0; k < kGroup; k += lanes) {
    const auto gap = [&](int c, hn::Vec<F> s) HWY_ATTR {
      const auto below = hn::Sub(hn::LoadU(d, boxes.low[c].data() + first + k), s);
      const auto above = hn::Sub(s, hn::LoadU(d, boxes.high[c].data() + first + k));
      return hn::Max(zero, hn::Max(below, above));
    };
    const auto bound = SquaredDistance(gap(0, sx), gap(1, sy), gap(2, sz));
    const auto mask = hn::Lt(bound, hn::LoadU(d, leaders.largest.data() + first + k));
    std::uint8_t bits[8] = {0};
    hn::StoreMaskBits(d, mask, bits);
    reached |= (static_cast<std::uint32_t>(bits[0]) | (static_cast<std::uint32_t>(bits[1]) << 8))
               << k;
  }
  return reached;
}

/// Largest value of `count` entries (a multiple of the lanes) and the smallest rank that has it.
HWY_INLINE void Summarise(const float* HWY_RESTRICT values, const std::uint32_t* HWY_RESTRICT ranks,
                          std::size_t count, float& largest, std::uint32_t& rank) {
  const F d;
  const U du;
  auto top = hn::LoadU(d, values);
  for (std::size_t k = hn::Lanes(d); k < count; k += hn::Lanes(d))
    top = hn::Max(top, hn::LoadU(d, values + k));
  top = hn::MaxOfLanes(d, top);
  auto best = hn::Set(du, kNoRank);
  for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
    const auto at_top = hn::RebindMask(du, hn::Eq(hn::LoadU(d, values + k), top));
    best = hn::Min(best, hn::IfThenElse(at_top, hn::LoadU(du, ranks + k), hn::Set(du, kNoRank)));
  }
  largest = hn::GetLane(top);
  rank = hn::GetLane(hn::MinOfLanes(du, best));
}

HWY_INLINE void SummariseBucket(Sampling& s, std::size_t bucket) {
  Summarise(s.running.get() + bucket * kBucket, s.rank.get() + bucket * kBucket, kBucket,
            s.bucket.largest[bucket], s.bucket.rank[bucket]);
}

HWY_INLINE void SummariseGroup(Sampling& s, std::size_t group) {
  Summarise(s.bucket.largest.data() + group * kGroup, s.bucket.rank.data() + group * kGroup, kGroup,
            s.group.largest[group], s.group.rank[group]);
}

/// Applies a sample to one bucket.
HWY_INLINE void UpdateBucket(Sampling& s, std::size_t bucket, const Pick& sample) {
  const F d;
  const float *x = s.cloud.xyz[0].get(), *y = s.cloud.xyz[1].get(), *z = s.cloud.xyz[2].get();
  const auto sx = hn::Set(d, sample.x), sy = hn::Set(d, sample.y), sz = hn::Set(d, sample.z);
  for (std::size_t k = bucket * kBucket; k < (bucket + 1) * kBucket; k += hn::Lanes(d)) {
    const auto distance =
        SquaredDistance(hn::Sub(hn::LoadU(d, x + k), sx), hn::Sub(hn::LoadU(d, y + k), sy),
                        hn::Sub(hn::LoadU(d, z + k), sz));
    hn::StoreU(hn::Min(hn::LoadU(d, s.running.get() + k), distance), d, s.running.get() + k);
  }
  SummariseBucket(s, bucket);
}

/// Before the first sample: every box knows its preferred entry. With overflowing distances a
/// bucket may never be touched, and must still be able to win.
void SummariseAll(Sampling& s) {
  for (std::size_t bucket = 0; bucket < s.bucket.largest.size(); ++bucket)
    SummariseBucket(s, bucket);
  for (std::size_t group = 0; group < s.bucket.largest.size() / kGroup; ++group)
    SummariseGroup(s, group);
}

/// Applies a sample; the rank of the next one: the largest value over all groups, then the
/// smallest rank.
std::uint32_t SampleBuckets(Sampling& s, const Pick& sample) {
  for (std::size_t first = 0; first < s.group.largest.size(); first += kGroup) {
    std::uint32_t groups = Reached(s.cloud.group, s.group, first, sample);
    for (; groups != 0; groups &= groups - 1) {
      const std::size_t group = first + static_cast<std::size_t>(__builtin_ctz(groups));
      std::uint32_t buckets = Reached(s.cloud.bucket, s.bucket, group * kGroup, sample);
      if (buckets == 0) continue;
      for (; buckets != 0; buckets &= buckets - 1)
        UpdateBucket(s, group * kGroup + static_cast<std::size_t>(__builtin_ctz(buckets)), sample);
      SummariseGroup(s, group);
    }
  }
  float largest;
  std::uint32_t rank;
  Summarise(s.group.largest.data(), s.group.rank.data(), s.group.largest.size(), largest, rank);
  return rank;
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
      const auto distance = SquaredDistance(hn::Sub(hn::LoadU(d, list.xyz[0].data() + k), sx),
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
HWY_EXPORT(SummariseAll);

constexpr float kNearOrigin = 1e-3f;  // squared metres

bool near_origin(const float* p) {
  return (p[0] * p[0] + p[1] * p[1]) + p[2] * p[2] <= kNearOrigin;
}

/// Index <-> rank under one of the tie rules.
class Preference {
 public:
  Preference(std::int64_t n, bool pointnet2) {
    if (pointnet2) {
      order_.emplace_back(n);
      indices_ = order_.front().indices();
    }
  }
  std::uint32_t rank(std::uint32_t index) const {
    return order_.empty() ? index : static_cast<std::uint32_t>(order_.front().rank(index));
  }
  std::uint32_t index(std::uint32_t rank) const { return indices_.empty() ? rank : indices_[rank]; }

 private:
  std::vector<PointNet2Order> order_;
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

Sampling start_sampling(const PointBuckets& cloud, const Preference& preference) {
  Sampling s{cloud, std::make_unique_for_overwrite<float[]>(cloud.size()),
             std::make_unique_for_overwrite<std::uint32_t[]>(cloud.size()),
             Leaders(cloud.bucket.size()), Leaders(cloud.group.size())};
  for (std::size_t k = 0; k < cloud.size(); ++k) {
    const bool padding = k >= cloud.points;
    s.running[k] = padding ? kNever : std::numeric_limits<float>::infinity();
    s.rank[k] = padding ? kNoRank : preference.rank(cloud.index[k]);
  }
  HWY_DYNAMIC_DISPATCH(SummariseAll)(s);
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
  const Preference preference(n, pointnet2_ties);
  if (!std::isfinite(largest))
    return sample_plainly(points, n, num_samples, skip_near_origin, preference, samples);

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
  Sampling sampling = start_sampling(cloud, preference);
  const auto step = HWY_DYNAMIC_DISPATCH(SampleBuckets);
  samples[0] = 0;
  for (std::int64_t j = 1; j < num_samples; ++j) {
    const float* s = points + 3 * samples[j - 1];
    samples[j] = preference.index(step(sampling, Pick{s[0], s[1], s[2]}));
  }
}

}  // namespace grasppanda::ops
#endif
