// Two walks with one result. In index order a query stops at its nsample-th hit; along a Morton
// curve it tests only the buckets near it and puts the hits back into index order through a bitmap.
// A few queries, walked in index order, tell which is cheaper.
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

/// Buckets that an average query tests in index order.
double cost_in_order(const PointBuckets& cloud, const float* query, std::int64_t m,
                     float squared_radius, std::int64_t nsample) {
  constexpr std::int64_t kProbes = 16;
  std::vector<std::int64_t> scratch(static_cast<std::size_t>(nsample));
  const std::int64_t step = std::max<std::int64_t>(1, m / kProbes);
  std::size_t tested = 0, probes = 0;
  for (std::int64_t j = step / 2; j < m; j += step, ++probes) {
    Slots slots{scratch.data(), nsample};
    tested += sphere_search_cpu(cloud, query + 3 * j, squared_radius, add_in_order, &slots);
  }
  return static_cast<double>(tested) / static_cast<double>(probes);
}

/// Nanoseconds, measured on one core: a bucket tested, a point sorted, a query along the curve.
bool curve_pays(double tested, std::int64_t m, std::int64_t n) {
  const double in_order = 7.0 * tested * static_cast<double>(m);
  const double along_curve = 15.0 * static_cast<double>(n) +
                             (800.0 + 0.01 * static_cast<double>(n)) * static_cast<double>(m);
  return along_curve < in_order;
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
  PointBuckets cloud;
  bool curve = false;
  if (!plain) {
    cloud = make_point_buckets(support, n);
    if (m >= 64 && n >= 2048 && finite(query, 3 * m) &&
        curve_pays(cost_in_order(cloud, query, m, squared_radius, nsample), m, n)) {
      cloud = make_point_buckets(support, morton_order(support, n, nullptr, threads), threads);
      curve = true;
    }
  }
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
        Gather gather{cloud.index.get(), &*set};
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
