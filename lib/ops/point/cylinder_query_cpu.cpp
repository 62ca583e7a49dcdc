// Most points are ruled out by a sphere around the cylinder, in vectors; the few others get the
// verdict of the band, one by one, in double.
#include "lib/ops/point/cylinder_query_cpu.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "lib/ops/point/cylinder_band.h"
#include "lib/ops/point/index_set.h"
#include "lib/ops/point/morton_order.h"
#include "lib/ops/point/point_buckets.h"
#include "lib/ops/point/sphere_search_cpu.h"

namespace grasppanda::ops {
namespace {

constexpr std::uint32_t kNone = 0xFFFFFFFFu;

/// The list of one upper end.
struct List {
  float hmax;
  std::int64_t* index;
  std::int64_t filled = 0;
  std::uint32_t first_undecided = kNone;
  bool complete(std::int64_t nsample) const { return filled == nsample; }
};

/// One query at work.
struct Task {
  const PointBuckets* cloud = nullptr;
  const float* q;
  CylinderBand band;
  std::vector<List>* lists;
  std::int64_t nsample;
  IndexSet* set = nullptr;

  /// Takes point `i` in index order. False when every list is complete or lost to an undecided
  /// point.
  bool take(std::uint32_t i, const CylinderBand::Offset& o) {
    if (!o.finite) return true;  // every component is inf or NaN: outside
    const Verdict shared = o.certain ? band.within_radius_and_above(o) : Verdict::undecided;
    if (shared == Verdict::outside) return true;
    bool open = false;
    for (List& list : *lists) {
      if (list.complete(nsample)) continue;
      const Verdict end = o.certain ? CylinderBand::below(o, list.hmax) : Verdict::undecided;
      if (end == Verdict::outside) {
        open = true;
        continue;
      }
      if (shared == Verdict::undecided || end == Verdict::undecided) {
        list.first_undecided = i;
        return false;  // the query is handed back whole
      }
      list.index[list.filled++] = i;
      open = open || !list.complete(nsample);
    }
    return open;
  }
};

CylinderBand::Offset offset_of(const Task& task, const float* p) {
  return task.band.offset(p[0] - task.q[0], p[1] - task.q[1], p[2] - task.q[2]);
}

bool take_in_order(void* state, std::size_t bucket, std::uint32_t hits) {
  auto& task = *static_cast<Task*>(state);
  const PointBuckets& b = *task.cloud;
  for (; hits != 0; hits &= hits - 1) {
    const std::size_t at = bucket * kBucket + static_cast<std::size_t>(__builtin_ctz(hits));
    const float p[3] = {b.xyz[0][at], b.xyz[1][at], b.xyz[2][at]};
    if (!task.take(b.index[at], offset_of(task, p))) return false;
  }
  return true;
}

/// Along the curve: candidates that are not outside for certain go into the set; they are judged
/// again in index order when it is read.
bool gather(void* state, std::size_t bucket, std::uint32_t hits) {
  auto& task = *static_cast<Task*>(state);
  const PointBuckets& b = *task.cloud;
  float widest = -std::numeric_limits<float>::infinity();
  for (const List& list : *task.lists) widest = std::max(widest, list.hmax);
  for (; hits != 0; hits &= hits - 1) {
    const std::size_t at = bucket * kBucket + static_cast<std::size_t>(__builtin_ctz(hits));
    const float p[3] = {b.xyz[0][at], b.xyz[1][at], b.xyz[2][at]};
    const auto o = offset_of(task, p);
    if (o.certain && (task.band.within_radius_and_above(o) == Verdict::outside ||
                      CylinderBand::below(o, widest) == Verdict::outside))
      continue;
    task.set->insert(b.index[at]);
  }
  return true;
}

/// Squared radius of a sphere that holds the cylinder, or +inf where there is none to rely on: the
/// rotation is not one, or numbers are too large.
float enclosing_sphere(const float* rotation, float squared_radius, float hmin, float hmax) {
  double worst = 0;
  for (int i = 0; i < 3; ++i)
    for (int j = 0; j < 3; ++j) {
      double dot = 0;
      for (int k = 0; k < 3; ++k) dot += double{rotation[3 * k + i]} * rotation[3 * k + j];
      worst = std::fmax(worst, std::fabs(dot - (i == j ? 1.0 : 0.0)));
      if (std::isnan(dot)) worst = std::numeric_limits<double>::infinity();
    }
  // |R'R - I| <= 0.01 an entry bounds |d|^2 from below by 0.97 |a|^2; the rest is slack for
  // rounding.
  const double end = std::fmax(std::fabs(hmin), std::fabs(hmax));
  const double squared = (double{squared_radius} + end * end) * 1.05 + 1e-30;
  return worst <= 0.01 && squared < 1e30 ? static_cast<float>(squared)
                                         : std::numeric_limits<float>::infinity();
}

}  // namespace

void cylinder_query_cpu(const float* query, std::int64_t m, const float* support, std::int64_t n,
                        const float* rotation, double radius, double hmin,
                        std::span<const double> hmax, std::int64_t nsample, int threads,
                        std::int64_t* index, std::int64_t* count, std::uint8_t* hand_back) {
  const auto squared_radius = static_cast<float>(radius * radius);
  const auto low = static_cast<float>(hmin);
  const auto high = static_cast<float>(*std::max_element(hmax.begin(), hmax.end()));
  const auto finite = [](const float* values, std::int64_t size) {
    return largest_magnitude(values, size) <= kLargestPrunable;
  };
  const bool plain = n == 0 || !finite(support, 3 * n);
  PointBuckets cloud;
  if (!plain) cloud = make_point_buckets(support, n);

  const auto run = [&](std::int64_t j, IndexSet* set, std::vector<List>& lists, bool dry) {
    const float* q = query + 3 * j;
    lists.clear();
    for (std::size_t h = 0; h < hmax.size(); ++h)
      lists.push_back(
          {static_cast<float>(hmax[h]), index + (static_cast<std::int64_t>(h) * m + j) * nsample});
    Task task{&cloud, q, {}, &lists, nsample};
    std::copy_n(rotation + 9 * j, 9, task.band.rotation);
    task.band.squared_radius = squared_radius;
    task.band.hmin = low;
    const bool rotation_finite = std::isfinite(largest_magnitude(rotation + 9 * j, 9));
    const float sphere = enclosing_sphere(rotation + 9 * j, squared_radius, low, high);
    std::size_t tested = 0;
    hand_back[j] = 0;
    if (!rotation_finite) {
      hand_back[j] = 1;
    } else if (plain || !finite(q, 3) || !std::isfinite(sphere)) {
      for (std::int64_t i = 0; i < n; ++i)
        if (!task.take(static_cast<std::uint32_t>(i), offset_of(task, support + 3 * i))) break;
    } else if (set != nullptr) {
      task.set = set;
      sphere_search_cpu(cloud, q, sphere, gather, &task);
      set->drain([&](std::uint32_t i) {
        return task.take(i, offset_of(task, support + 3 * std::size_t{i}));
      });
    } else {
      tested = sphere_search_cpu(cloud, q, sphere, take_in_order, &task);
    }
    if (dry) return tested;
    for (std::size_t h = 0; h < lists.size(); ++h) {
      List& list = lists[h];
      if (list.first_undecided != kNone) hand_back[j] = 1;
      std::fill(list.index + list.filled, list.index + nsample,
                list.filled > 0 ? list.index[0] : 0);
      count[static_cast<std::int64_t>(h) * m + j] = list.filled;
    }
    return tested;
  };

  // As in ball_query: a few queries in index order tell whether the curve is worth its sort.
  bool curve = false;
  if (!plain && m >= 64 && n >= 2048) {
    std::vector<List> lists;
    std::size_t tested = 0, probes = 0;
    for (std::int64_t j = m / 32; j < m; j += std::max<std::int64_t>(1, m / 16), ++probes)
      tested += run(j, nullptr, lists, true);
    const double in_order = 8.0 * static_cast<double>(tested) / static_cast<double>(probes);
    curve = 15.0 * static_cast<double>(n) / static_cast<double>(m) + 2500.0 +
                0.01 * static_cast<double>(n) <
            in_order;
    if (curve)
      cloud = make_point_buckets(support, morton_order(support, n, nullptr, threads), threads);
  }
#pragma omp parallel num_threads(threads) if (threads > 1 && m * n > 40000)
  {
    std::vector<List> lists;
    std::optional<IndexSet> set;
    if (curve) set.emplace(static_cast<std::size_t>(n));
#pragma omp for schedule(dynamic, 32)
    for (std::int64_t j = 0; j < m; ++j) run(j, set ? &*set : nullptr, lists, false);
  }
}

}  // namespace grasppanda::ops
