// What the kernels over buckets share, once per instruction set (Highway includes this file again
// for each). Include it behind hwy/foreach_target.h.
#if defined(GRASPPANDA_BUCKET_LANES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef GRASPPANDA_BUCKET_LANES_INL_H
#undef GRASPPANDA_BUCKET_LANES_INL_H
#else
#define GRASPPANDA_BUCKET_LANES_INL_H
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "lib/ops/point/point_buckets.h"

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::lanes {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// No more lanes than a group has buckets.
using F = hn::CappedTag<float, kGroup>;

/// The squared distance, in the order of the CPU.
HWY_INLINE hn::Vec<F> Sum(hn::Vec<F> x, hn::Vec<F> y, hn::Vec<F> z) {
  return hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
}

/// Bit k set: lane k of the mask is.
HWY_INLINE std::uint32_t Bits(hn::Mask<F> mask) {
  std::uint8_t bytes[8] = {0};
  hn::StoreMaskBits(F(), mask, bytes);
  std::uint16_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
}

/// Squared distances of the points of [low, high] to those of boxes at .. at + lanes - 1, from
/// below: with the expression of the distance itself, so that no rounding can break the bound.
HWY_INLINE hn::Vec<F> LowerBound(const Boxes& boxes, std::size_t at, const float* low,
                                 const float* high) {
  const F d;
  const auto gap = [&](int c) HWY_ATTR {
    const auto below = hn::Sub(hn::LoadU(d, boxes.low[c].data() + at), hn::Set(d, high[c]));
    const auto above = hn::Sub(hn::Set(d, low[c]), hn::LoadU(d, boxes.high[c].data() + at));
    return hn::Max(hn::Zero(d), hn::Max(below, above));
  };
  return Sum(gap(0), gap(1), gap(2));
}

/// Squared distances of a query to the entries at .. at + lanes - 1. Query - point or the reverse:
/// the squares are the same bits.
HWY_INLINE hn::Vec<F> SquaredDistances(const PointBuckets& b, std::size_t at, const float* q) {
  const F d;
  return Sum(hn::Sub(hn::LoadU(d, b.xyz[0].data() + at), hn::Set(d, q[0])),
             hn::Sub(hn::LoadU(d, b.xyz[1].data() + at), hn::Set(d, q[1])),
             hn::Sub(hn::LoadU(d, b.xyz[2].data() + at), hn::Set(d, q[2])));
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::lanes
HWY_AFTER_NAMESPACE();

#endif
