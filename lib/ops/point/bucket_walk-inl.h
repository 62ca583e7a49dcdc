// The walk of nearest-neighbour searches over the buckets of a cloud, nearest first; see
// bucket_lanes-inl.h for how such a file is included.
#if defined(GRASPPANDA_BUCKET_WALK_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GRASPPANDA_BUCKET_WALK_INL_H
#undef GRASPPANDA_BUCKET_WALK_INL_H
#else
#define GRASPPANDA_BUCKET_WALK_INL_H
#endif

#include "lib/ops/point/bucket_lanes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::lanes {
namespace HWY_NAMESPACE {

/// Lower bounds for boxes first .. first + kGroup - 1.
HWY_INLINE void LowerBounds(const Boxes& boxes, std::size_t first, const float* low,
                            const float* high, float* HWY_RESTRICT bounds) {
  const F d;
  for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d))
    hn::StoreU(LowerBound(boxes, first + k, low, high), d, bounds + k);
}

/// Where the smallest value stands first.
HWY_INLINE std::size_t Smallest(const float* HWY_RESTRICT values, std::size_t count) {
  const F d;
  auto least = hn::LoadU(d, values);
  for (std::size_t k = hn::Lanes(d); k < count; k += hn::Lanes(d))
    least = hn::Min(least, hn::LoadU(d, values + k));
  least = hn::MinOfLanes(d, least);
  for (std::size_t k = 0;; k += hn::Lanes(d)) {
    const std::uint32_t at = Bits(hn::Eq(hn::LoadU(d, values + k), least));
    if (at != 0) return k + static_cast<std::size_t>(__builtin_ctz(at));
  }
}

/// Bit k set: values[k] <= reach. At equality a smaller index may still win.
HWY_INLINE std::uint32_t Within(const float* HWY_RESTRICT values, std::size_t count, float reach) {
  const F d;
  std::uint32_t within = 0;
  for (std::size_t k = 0; k < count; k += hn::Lanes(d))
    within |= Bits(hn::Le(hn::LoadU(d, values + k), hn::Set(d, reach))) << k;
  return within;
}

/// Visits the buckets whose bound is within reach, nearest group and nearest bucket first: they set
/// a reach that rules most others out. `reach()` shrinks while `visit(bucket)` works. `bounds`:
/// scratch for as many values as there are groups.
template <class Reach, class Visit>
HWY_INLINE void VisitBuckets(const PointBuckets& b, const float* low, const float* high,
                             float* HWY_RESTRICT bounds, const Reach& reach, const Visit& visit) {
  const auto visit_group = [&](std::size_t group) HWY_ATTR {
    HWY_ALIGN float inner[kGroup];
    LowerBounds(b.bucket, group * kGroup, low, high, inner);
    const std::size_t nearest = Smallest(inner, kGroup);
    if (!(inner[nearest] <= reach())) return;
    visit(group * kGroup + nearest);
    std::uint32_t others = Within(inner, kGroup, reach()) & ~(1u << nearest);
    for (; others != 0; others &= others - 1) {
      const auto k = static_cast<std::size_t>(__builtin_ctz(others));
      if (inner[k] <= reach()) visit(group * kGroup + k);
    }
  };
  const std::size_t groups = b.group.size();
  for (std::size_t first = 0; first < groups; first += kGroup)
    LowerBounds(b.group, first, low, high, bounds + first);
  const std::size_t nearest = Smallest(bounds, groups);
  visit_group(nearest);
  for (std::size_t first = 0; first < groups; first += kGroup) {
    std::uint32_t within = Within(bounds + first, kGroup, reach());
    for (; within != 0; within &= within - 1) {
      const std::size_t group = first + static_cast<std::size_t>(__builtin_ctz(within));
      if (group != nearest && bounds[group] <= reach()) visit_group(group);
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::lanes
HWY_AFTER_NAMESPACE();

#endif
