// Two walks with one result. In index order a query stops at its nsample-th hit; along a Morton
// curve it tests only the buckets near it and puts the hits back into index order through a bitmap.
// A sample of pairs tells which is cheaper.
#include "lib/ops/point/ball_query_cpu.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "lib/ops/point/index_set.h"
#include "lib/ops/point/morton_order.h"
#include "lib/ops/point/point_buckets.h"
#include "lib/ops/point/sphere_search_cpu.h"

namespace grasppanda::ops {
namespace {

/// The slots of one query.
struct Slots {
  std::int64_t* index;
  std::int64_t nsample;
  std::int64_t filled = 0;

  bool add(std::uint32_t i) {
    index[filled++] = i;
    return filled < nsample;
  }
  /// Unused slots repeat the first hit, or are 0 without one.
  std::int64_t close() {
    std::fill(index + filled, index + nsample, filled > 0 ? index[0] : 0);
    return filled;
  }
};

bool add_in_order(void* state, std::size_t bucket, std::uint32_t hits) {
  auto& slots = *static_cast<Slots*>(state);
  for (; hits != 0; hits &= hits - 1)
    if (!slots.add(static_cast<std::uint32_t>(bucket * kBucket) +
                   static_cast<std::uint32_t>(__builtin_ctz(hits))))
      return false;
  return true;
}

struct Gather {
  const std::uint32_t* index;
  IndexSet* set;
};

bool add_to_set(void* state, std::size_t bucket, std::uint32_t hits) {
  const auto& gather = *static_cast<Gather*>(state);
  for (; hits != 0; hits &= hits - 1)
    gather.set->insert(
        gather.index[bucket * kBucket + static_cast<std::size_t>(__builtin_ctz(hits))]);
  return true;
}

/// The contract word by word, for values that are not finite or whose squares are not.
void search_plainly(const float* q, const float* support, std::int64_t n, float squared_radius,
                    Slots& slots) {
  for (std::int64_t i = 0; i < n; ++i) {
    const float* p = support + 3 * i;
    const float dx = p[0] - q[0], dy = p[1] - q[1], dz = p[2] - q[2];
    if ((dx * dx + dy * dy) + dz * dz < squared_radius && !slots.add(static_cast<std::uint32_t>(i)))
      return;
  }
}

}  // namespace

void ball_query_cpu(const float* query, std::int64_t m, const float* support, std::int64_t n,
                    double radius, std::int64_t nsample, int threads, std::int64_t* index,
                    std::int64_t* count) {
  const auto squared_radius = static_cast<float>(radius * radius);
  const auto finite = [](const float* values, std::int64_t size) {
    return largest_magnitude(values, size) <= kLargestPrunable;
  };
  const bool plain = n == 0 || !finite(support, 3 * n);
  const bool curve = !plain && m >= 64 && n >= 2048 && finite(query, 3 * m) &&
                     curve_pays(m, n, share_in_sphere(query, m, support, n, squared_radius),
                                static_cast<double>(nsample), {12, 4});
  PointBuckets cloud;
  if (curve)
    cloud = make_point_buckets(support, morton_order(support, n, nullptr, threads), threads);
  else if (!plain)
    cloud = make_point_buckets(support, n, threads);
#pragma omp parallel num_threads(threads) if (threads > 1 && m * n > 40000)
  {
    std::optional<IndexSet> set;
    if (curve) set.emplace(static_cast<std::size_t>(n));
#pragma omp for schedule(dynamic, 32)
    for (std::int64_t j = 0; j < m; ++j) {
      const float* q = query + 3 * j;
      Slots slots{index + j * nsample, nsample};
      if (plain || !finite(q, 3)) {
        search_plainly(q, support, n, squared_radius, slots);
      } else if (curve) {
        Gather gather{cloud.index.data(), &*set};
        sphere_search_cpu(cloud, q, squared_radius, add_to_set, &gather);
        set->drain([&](std::uint32_t i) { return slots.add(i); });
      } else {
        sphere_search_cpu(cloud, q, squared_radius, add_in_order, &slots);
      }
      count[j] = slots.close();
    }
  }
}

}  // namespace grasppanda::ops
