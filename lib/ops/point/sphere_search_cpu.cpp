#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/point/sphere_search_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstring>

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
  std::uint8_t bytes[8] = {0};
  hn::StoreMaskBits(F(), mask, bytes);
  std::uint16_t bits;
  std::memcpy(&bits, bytes, sizeof bits);
  return bits;
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

void Search(const PointBuckets& b, const float* query, float squared_radius, TakeHits take,
            void* state) {
  const F d;
  const auto qx = hn::Set(d, query[0]), qy = hn::Set(d, query[1]), qz = hn::Set(d, query[2]);
  const auto limit = hn::Set(d, squared_radius);
  const float *x = b.xyz[0].data(), *y = b.xyz[1].data(), *z = b.xyz[2].data();
  for (std::size_t first_group = 0; first_group < b.group.size(); first_group += kGroup) {
    std::uint32_t groups = Reached(b.group, first_group, qx, qy, qz, limit);
    for (; groups != 0; groups &= groups - 1) {
      const std::size_t first =
          (first_group + static_cast<std::size_t>(__builtin_ctz(groups))) * kGroup;
      std::uint32_t buckets = Reached(b.bucket, first, qx, qy, qz, limit);
      for (; buckets != 0; buckets &= buckets - 1) {
        const std::size_t bucket = first + static_cast<std::size_t>(__builtin_ctz(buckets));
        std::uint32_t hits = 0;
        for (std::size_t k = 0; k < kBucket; k += hn::Lanes(d)) {
          const std::size_t at = bucket * kBucket + k;
          const auto squared =
              Sum(hn::Sub(hn::LoadU(d, x + at), qx), hn::Sub(hn::LoadU(d, y + at), qy),
                  hn::Sub(hn::LoadU(d, z + at), qz));
          hits |= Bits(hn::Lt(squared, limit)) << k;
        }
        if (hits != 0 && !take(state, bucket, hits)) return;
      }
    }
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::sphere
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace grasppanda::ops {
namespace sphere {
HWY_EXPORT(Search);
}

void sphere_search_cpu(const PointBuckets& cloud, const float* query, float squared_radius,
                       TakeHits take, void* state) {
  using namespace sphere;
  HWY_DYNAMIC_DISPATCH(Search)(cloud, query, squared_radius, take, state);
}

double share_in_sphere(const float* query, std::int64_t m, const float* support, std::int64_t n,
                       float squared_radius) {
  const std::int64_t queries = std::min<std::int64_t>(m, 64),
                     points = std::min<std::int64_t>(n, 96);
  std::int64_t inside = 0;
  for (std::int64_t j = 0; j < queries; ++j) {
    const float* q = query + 3 * (j * m / queries);
    for (std::int64_t i = 0; i < points; ++i) {
      // Each query looks at other points.
      const float* p = support + 3 * ((i * n + j * n / queries) / points);
      const float dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
      inside += (dx * dx + dy * dy) + dz * dz < squared_radius;
    }
  }
  return static_cast<double>(inside) / static_cast<double>(queries * points);
}

bool curve_pays(std::int64_t m, std::int64_t n, double share, double wanted, const WalkCost& cost) {
  // Nanoseconds, measured like the others: a point sorted, a group's box tested, a query begun.
  constexpr double kSorted = 8, kGroupTested = 2, kBegun = 400;
  const auto points = static_cast<double>(n);
  const double buckets = points / kBucket, near = share * points;
  const double in_order = cost.per_bucket * buckets * std::min(1.0, wanted / (near + 1e-9));
  const double along_curve = kSorted * points / static_cast<double>(m) +
                             kGroupTested * buckets / kGroup + cost.per_hit * near + kBegun;
  return along_curve < in_order;
}

}  // namespace grasppanda::ops
#endif
