#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/point/sphere_search_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>

#include "lib/ops/point/bucket_lanes-inl.h"
#include "lib/ops/point/sphere_search_cpu.h"

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::sphere {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace lanes::HWY_NAMESPACE;

/// Bit k set: box first + k may hold a hit.
HWY_INLINE std::uint32_t Reached(const Boxes& boxes, std::size_t first, const float* query,
                                 float squared_radius) {
  const F d;
  std::uint32_t reached = 0;
  for (std::size_t k = 0; k < kGroup; k += hn::Lanes(d))
    reached |= Bits(hn::Lt(LowerBound(boxes, first + k, query, query), hn::Set(d, squared_radius)))
               << k;
  return reached;
}

/// Bit k set: entry k of the bucket is a hit.
HWY_INLINE std::uint32_t Hits(const PointBuckets& b, std::size_t bucket, const float* query,
                              float squared_radius) {
  const F d;
  std::uint32_t hits = 0;
  for (std::size_t k = 0; k < kBucket; k += hn::Lanes(d))
    hits |=
        Bits(hn::Lt(SquaredDistances(b, bucket * kBucket + k, query), hn::Set(d, squared_radius)))
        << k;
  return hits;
}

void Search(const PointBuckets& b, const float* query, float squared_radius, TakeHits take,
            void* state) {
  for (std::size_t first_group = 0; first_group < b.group.size(); first_group += kGroup) {
    std::uint32_t groups = Reached(b.group, first_group, query, squared_radius);
    for (; groups != 0; groups &= groups - 1) {
      const std::size_t first =
          (first_group + static_cast<std::size_t>(__builtin_ctz(groups))) * kGroup;
      std::uint32_t buckets = Reached(b.bucket, first, query, squared_radius);
      for (; buckets != 0; buckets &= buckets - 1) {
        const std::size_t bucket = first + static_cast<std::size_t>(__builtin_ctz(buckets));
        const std::uint32_t hits = Hits(b, bucket, query, squared_radius);
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
