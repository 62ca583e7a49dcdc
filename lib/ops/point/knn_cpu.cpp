// Buckets along a Morton curve, visited where their lower bound does not exceed the k-th distance.
// Candidates are compared by (bits of the squared distance, index) in one 64-bit key: squares are
// not negative, so their bits order like their values, and equal ones go by ascending index.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/point/knn_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "lib/ops/point/bucket_walk-inl.h"
#include "lib/ops/point/knn_cpu.h"
#include "lib/ops/point/morton_order.h"
#include "lib/ops/point/nearest_candidates.h"
#include "lib/ops/point/point_buckets.h"

#ifndef GRASPPANDA_KNN_SHARED
#define GRASPPANDA_KNN_SHARED
namespace grasppanda::ops::nearest {

/// Queries that lie together, one a lane, with the box around them.
struct Pack {
  alignas(64) float x[kGroup], y[kGroup], z[kGroup];
  float low[3], high[3];
};

/// k best of every lane of a pack, slot-major.
struct PackBest {
  alignas(64) float squared[4][kGroup];
  alignas(64) std::uint32_t index[4][kGroup];
};

}  // namespace grasppanda::ops::nearest
#endif

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::nearest {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace lanes::HWY_NAMESPACE;

/// One query, any k.
void Search(const PointBuckets& b, const float* query, float* HWY_RESTRICT bounds, Best& best) {
  const F d;
  VisitBuckets(
      b, query, query, bounds, [&]() HWY_ATTR { return best.reach(); },
      [&](std::size_t bucket) HWY_ATTR {
        const std::size_t first = bucket * kBucket;
        HWY_ALIGN float squared[kBucket];
        for (std::size_t k = 0; k < kBucket; k += hn::Lanes(d))
          hn::Store(SquaredDistances(b, first + k, query), d, squared + k);
        for (std::uint32_t hits = Within(squared, kBucket, best.reach()); hits != 0;
             hits &= hits - 1) {
          const auto k = static_cast<std::size_t>(__builtin_ctz(hits));
          best.offer(key_of(squared[k], b.index[first + k]));
        }
        best.refresh();
      });
}

/// One query, k = 1: the best of every lane, and of those the best in the end. Returns its key.
std::uint64_t SearchNearest(const PointBuckets& b, const float* query, float* HWY_RESTRICT bounds) {
  const F d;
  const hn::RebindToUnsigned<F> du;
  auto squared = hn::Set(d, std::numeric_limits<float>::infinity());
  auto index = hn::Set(du, 0xFFFFFFFFu);
  float reach = std::numeric_limits<float>::infinity();
  VisitBuckets(
      b, query, query, bounds, [&]() HWY_ATTR { return reach; },
      [&](std::size_t bucket) HWY_ATTR {
        for (std::size_t k = bucket * kBucket; k < (bucket + 1) * kBucket; k += hn::Lanes(d)) {
          const auto value = SquaredDistances(b, k, query);
          const auto of = hn::LoadU(du, b.index.data() + k);
          const auto before =
              hn::Or(hn::Lt(value, squared),
                     hn::And(hn::Eq(value, squared), hn::RebindMask(d, hn::Lt(of, index))));
          squared = hn::IfThenElse(before, value, squared);
          index = hn::IfThenElse(hn::RebindMask(du, before), of, index);
        }
        reach = hn::GetLane(hn::MinOfLanes(d, squared));
      });
  const auto nearest = hn::RebindMask(du, hn::Eq(squared, hn::Set(d, reach)));
  const auto least = hn::MinOfLanes(du, hn::IfThenElse(nearest, index, hn::Set(du, 0xFFFFFFFFu)));
  return key_of(reach, hn::GetLane(least));
}

/// A pack of queries, one a lane, k = K.
template <int K>
HWY_INLINE void SearchPack(const PointBuckets& b, const Pack& pack, float* HWY_RESTRICT bounds,
                           PackBest& best) {
  const F d;
  const hn::RebindToUnsigned<F> du;
  for (std::size_t lane = 0; lane < kGroup; lane += hn::Lanes(d)) {
    const auto qx = hn::Load(d, pack.x + lane), qy = hn::Load(d, pack.y + lane),
               qz = hn::Load(d, pack.z + lane);
    hn::Vec<F> squared[K];
    hn::Vec<hn::RebindToUnsigned<F>> index[K];
    for (int slot = 0; slot < K; ++slot) {
      squared[slot] = hn::Set(d, std::numeric_limits<float>::infinity());
      index[slot] = hn::Set(du, 0xFFFFFFFFu);
    }
    float reach = std::numeric_limits<float>::infinity();
    VisitBuckets(
        b, pack.low, pack.high, bounds, [&]() HWY_ATTR { return reach; },
        [&](std::size_t bucket) HWY_ATTR {
          bool improved = false;
          for (std::size_t k = bucket * kBucket; k < (bucket + 1) * kBucket; ++k) {
            const auto value =
                Sum(hn::Sub(hn::Set(d, b.xyz[0][k]), qx), hn::Sub(hn::Set(d, b.xyz[1][k]), qy),
                    hn::Sub(hn::Set(d, b.xyz[2][k]), qz));
            if (hn::AllFalse(d, hn::Le(value, squared[K - 1]))) continue;
            improved = true;
            const auto at = hn::Set(du, b.index[k]);
            // From the last slot up: a slot takes its predecessor where that moves on, the new
            // value where it belongs here, or stays.
            hn::Mask<F> before[K];
            for (int slot = 0; slot < K; ++slot)
              before[slot] = hn::Or(hn::Lt(value, squared[slot]),
                                    hn::And(hn::Eq(value, squared[slot]),
                                            hn::RebindMask(d, hn::Lt(at, index[slot]))));
            for (int slot = K - 1; slot >= 0; --slot) {
              auto moved = value;
              auto moved_index = at;
              if (slot > 0) {
                moved = hn::IfThenElse(before[slot - 1], squared[slot - 1], value);
                moved_index =
                    hn::IfThenElse(hn::RebindMask(du, before[slot - 1]), index[slot - 1], at);
              }
              squared[slot] = hn::IfThenElse(before[slot], moved, squared[slot]);
              index[slot] =
                  hn::IfThenElse(hn::RebindMask(du, before[slot]), moved_index, index[slot]);
            }
          }
          if (improved) reach = hn::GetLane(hn::MaxOfLanes(d, squared[K - 1]));
        });
    for (int slot = 0; slot < K; ++slot) {
      hn::Store(squared[slot], d, best.squared[slot] + lane);
      hn::Store(index[slot], du, best.index[slot] + lane);
    }
  }
}

void SearchPackOf(const PointBuckets& b, const Pack& pack, std::int64_t k,
                  float* HWY_RESTRICT bounds, PackBest& best) {
  switch (k) {
    case 1:
      return SearchPack<1>(b, pack, bounds, best);
    case 2:
      return SearchPack<2>(b, pack, bounds, best);
    case 3:
      return SearchPack<3>(b, pack, bounds, best);
    default:
      return SearchPack<4>(b, pack, bounds, best);
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::nearest
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace grasppanda::ops {
namespace nearest {
namespace {

HWY_EXPORT(Search);
HWY_EXPORT(SearchNearest);
HWY_EXPORT(SearchPackOf);

void write_key(std::uint64_t key, float& squared, std::int64_t& index) {
  squared = std::bit_cast<float>(static_cast<std::uint32_t>(key >> 32));
  index = static_cast<std::int64_t>(key & 0xFFFFFFFFu);
}

/// The contract word by word, for values that are not finite: NaN last, +inf before it.
void search_plainly(const float* q, const float* support, std::int64_t n, std::int64_t k,
                    float* squared, std::int64_t* index) {
  std::vector<std::uint64_t> keys(static_cast<std::size_t>(n));
  for (std::int64_t i = 0; i < n; ++i) {
    const float* p = support + 3 * i;
    const float dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
    const float value = (dx * dx + dy * dy) + dz * dz;
    const float ordered = std::isnan(value) ? std::numeric_limits<float>::quiet_NaN() : value;
    keys[static_cast<std::size_t>(i)] = key_of(std::fabs(ordered), static_cast<std::uint32_t>(i));
  }
  std::partial_sort(keys.begin(), keys.begin() + k, keys.end());
  for (std::int64_t slot = 0; slot < k; ++slot)
    write_key(keys[static_cast<std::size_t>(slot)], squared[slot], index[slot]);
}

/// Packs of kGroup queries in curve order, the last one filled up with its last query.
Pack make_pack(const float* query, const std::uint32_t* order, std::size_t count) {
  Pack pack;
  float* axes[3] = {pack.x, pack.y, pack.z};
  for (std::size_t c = 0; c < 3; ++c) {
    for (std::size_t lane = 0; lane < kGroup; ++lane)
      axes[c][lane] = query[3 * std::size_t{order[std::min(lane, count - 1)]} + c];
    pack.low[c] = *std::min_element(axes[c], axes[c] + kGroup);
    pack.high[c] = *std::max_element(axes[c], axes[c] + kGroup);
  }
  return pack;
}

bool prunable(const float* q) {
  return largest_magnitude(q, 3) <= kLargestPrunable;
}

}  // namespace
}  // namespace nearest

void knn_cpu(const float* query, std::int64_t m, const float* support, std::int64_t n,
             std::int64_t k, int threads, float* squared, std::int64_t* index) {
  using namespace nearest;
  const bool plain = !(largest_magnitude(support, 3 * n) <= kLargestPrunable);
  PointBuckets buckets;
  if (!plain) {
    // Sorting costs about as much as scanning the cloud for some tens of queries.
    const bool sort = n > 64 && m >= 32;
    buckets = sort
                  ? make_point_buckets(support, morton_order(support, n, nullptr, threads), threads)
                  : make_point_buckets(support, n, threads);
  }
  if (!hwy::GetChosenTarget().IsInitialized())
    hwy::GetChosenTarget().Update(hwy::SupportedTargets());
  if (threads < 1 || m * n <= 20000) threads = 1;

  // Many queries for the size of the support lie close together when sorted along the curve: 16 of
  // them then walk the buckets as one.
  if (!plain && k <= 4 && m >= 64 && 8 * m >= n &&
      largest_magnitude(query, 3 * m) <= kLargestPrunable) {
    const Scratch<std::uint32_t> order = morton_order(query, m, nullptr, threads);
    const auto search_pack = HWY_DYNAMIC_DISPATCH(SearchPackOf);
    const std::int64_t packs =
        (m + static_cast<std::int64_t>(kGroup) - 1) / static_cast<std::int64_t>(kGroup);
#pragma omp parallel num_threads(threads) if (threads > 1)
    {
      std::vector<float> bounds(buckets.group.size());
      PackBest best;
#pragma omp for schedule(dynamic, 8)
      for (std::int64_t p = 0; p < packs; ++p) {
        const std::uint32_t* members = order.data() + p * static_cast<std::int64_t>(kGroup);
        const std::size_t count =
            std::min(kGroup, order.size() - static_cast<std::size_t>(p) * kGroup);
        search_pack(buckets, make_pack(query, members, count), k, bounds.data(), best);
        for (std::size_t lane = 0; lane < count; ++lane) {
          const std::int64_t row = std::int64_t{members[lane]} * k;
          for (std::int64_t slot = 0; slot < k; ++slot) {
            squared[row + slot] = best.squared[slot][lane];
            index[row + slot] = best.index[slot][lane];
          }
        }
      }
    }
    return;
  }

  const auto search = HWY_DYNAMIC_DISPATCH(Search);
  const auto search_nearest = HWY_DYNAMIC_DISPATCH(SearchNearest);
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
    std::vector<float> bounds(buckets.group.size());
#pragma omp for schedule(dynamic, 64)
    for (std::int64_t j = 0; j < m; ++j) {
      const float* q = query + 3 * j;
      if (plain || !prunable(q)) {
        search_plainly(q, support, n, k, squared + j * k, index + j * k);
        continue;
      }
      if (k == 1) {
        write_key(search_nearest(buckets, q, bounds.data()), squared[j], index[j]);
        continue;
      }
      Best best(k);
      search(buckets, q, bounds.data(), best);
      const std::uint64_t* keys = best.sorted_keys();
      for (std::int64_t slot = 0; slot < k; ++slot)
        write_key(keys[slot], squared[j * k + slot], index[j * k + slot]);
    }
  }
}

}  // namespace grasppanda::ops
#endif
