#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/point/sphere_search_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "lib/ops/point/sphere_search_cpu.h"

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::sphere {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using F = hn::CappedTag<float, kGroup>;

HWY_INLINE hn::Vec<F> Sum(hn::Vec<F> x, hn::Vec<F> y, hn::Vec<F> z) {
  return hn::Add(hn::Add(hn::Mul(x, x), hn::Mul(y, y)), hn::Mul(z, z));
}

HWY_INLINE std::uint32_t Bits(hn::Mask<F> mask) {
  std::uint8_t bits[8] = {0};
  hn::StoreMaskBits(F(), mask, bits);
  return std::uint32_t{bits[0]} | (std::uint32_t{bits[1]} << 8);
}

/// Bit k set: box first + k may hold a hit. The bound has the expression of the distance.
HWY_INLINE std::uint32_t Reached(const Boxes& boxes, std::size_t first, hn::Vec<F> qx,
                                 hn::Vec<F> qy, hn::Vec<F> qz, hn::Vec<F> limit) {
  const F d;
  const hn::Vec<F> q[3] = {qx, qy, qz};
  std::uint32_t reached = 0;
  for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d)) {
    hn::Vec<F> gap[3];
    for (int c = 0; c < 3; ++c) {
      const auto below = hn::Sub(hn::LoadU(d, boxes.low[c].data() + first + k), q[c]);
      const auto above = hn::Sub(q[c], hn::LoadU(d, boxes.high[c].data() + first + k));
      gap[c] = hn::Max(hn::Zero(d), hn::Max(below, above));
    }
    reached |= Bits(hn::Lt(Sum(gap[0], gap[1], gap[2]), limit)) << k;
  }
  return reached;
}

std::size_t Search(const PointBuckets& b, const float* query, float squared_radius, TakeHits take,
                   void* state) {
  const F d;
  const auto qx = hn::Set(d, query[0]), qy = hn::Set(d, query[1]), qz = hn::Set(d, query[2]);
  const auto limit = hn::Set(d, squared_radius);
  const float *x = b.xyz[0].get(), *y = b.xyz[1].get(), *z = b.xyz[2].get();
  std::size_t tested = 0;
  for (std::size_t first_group = 0; first_group < b.group.size(); first_group += kGroup) {
    std::uint32_t groups = Reached(b.group, first_group, qx, qy, qz, limit);
    for (; groups != 0; groups &= groups - 1) {
      const std::size_t first =
          (first_group + static_cast<std::size_t>(__builtin_ctz(groups))) * kGroup;
      std::uint32_t buckets = Reached(b.bucket, first, qx, qy, qz, limit);
      for (; buckets != 0; buckets &= buckets - 1) {
        const std::size_t bucket = first + static_cast<std::size_t>(__builtin_ctz(buckets));
        ++tested;
        std::uint32_t hits = 0;
        for (std::size_t k = 0; k < kBucket; k += hn::Lanes(d)) {
          const std::size_t at = bucket * kBucket + k;
          const auto squared =
              Sum(hn::Sub(hn::LoadU(d, x + at), qx), hn::Sub(hn::LoadU(d, y + at), qy),
                  hn::Sub(hn::LoadU(d, z + at), qz));
          hits |= Bits(hn::Lt(squared, limit)) << k;
        }
        if (hits != 0 && !take(state, bucket, hits)) return tested;
      }
    }
  }
  return tested;
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::sphere
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace grasppanda::ops {
namespace sphere {
HWY_EXPORT(Search);
}

std::size_t sphere_search_cpu(const PointBuckets& cloud, const float* query, float squared_radius,
                              TakeHits take, void* state) {
  using namespace sphere;
  return HWY_DYNAMIC_DISPATCH(Search)(cloud, query, squared_radius, take, state);
}

}  // namespace grasppanda::ops
#endif
