// Most points are ruled out by a sphere around the cylinder; the others get the verdict of the
// band, a bucket at a time in float32, the few that this leaves undecided one by one in double.
#include "lib/ops/point/cylinder_query_cpu.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "lib/ops/point/cylinder_band.h"
#include "lib/ops/point/cylinder_band_cpu.h"
#include "lib/ops/point/index_set.h"
#include "lib/ops/point/morton_order.h"
#include "lib/ops/point/point_buckets.h"
#include "lib/ops/point/sphere_search_cpu.h"
#include "lib/ops/scratch.h"

namespace grasppanda::ops {
namespace {

/// The list of one upper end.
struct List {
  float hmax;
  std::size_t place;  // of the end among the caller's
  std::int64_t* index;
  std::int64_t filled = 0;
};

/// What is known about a point: the first list that it belongs to for certain (it belongs to those
/// of higher ends, too), or one of these.
using Level = std::uint16_t;
constexpr Level kOutside = 0xFFFF, kUndecided = 0xFFFE;
static_assert(kMostCylinderEnds < kUndecided);

/// One query at work.
struct Task {
  const PointBuckets* cloud;
  const float* support;
  const float* q;
  CylinderBand band;
  FloatBand float_band;      // where a whole bucket is judged at once
  std::vector<List>* lists;  // by rising upper end: a hit of one is a hit of the next
  std::int64_t nsample;
  bool judges_buckets;
  IndexSet* set = nullptr;  // along the curve: the points that are not outside for certain
  Level* levels = nullptr;  // and what is known about them
  bool handed_back = false;

  bool open() const { return lists->front().filled < nsample; }

  Level level_of(double low, double high) const {
    for (std::size_t h = 0; h < lists->size(); ++h)
      if (low < (*lists)[h].hmax)
        return high < (*lists)[h].hmax ? static_cast<Level>(h) : kUndecided;
    return kOutside;
  }

  /// The verdict in double, of a point alone.
  Level judge(float ax, float ay, float az) const {
    const CylinderBand::Offset o = band.offset(ax, ay, az);
    if (!o.finite) return kOutside;  // every component is inf or NaN
    if (!o.certain) return kUndecided;
    const Verdict shared = band.within_radius_and_above(o);
    if (shared == Verdict::outside) return kOutside;
    const Level level = level_of(o.value[0] - o.error[0], o.value[0] + o.error[0]);
    return shared == Verdict::undecided && level != kOutside ? kUndecided : level;
  }
  Level judge(std::uint32_t i) const {
    const float* p = support + 3 * std::size_t{i};
    return judge(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
  }

  /// Takes point `i` in index order. False when every list is complete, or when a point comes
  /// before that of which a list that is not cannot tell: the query is then handed back whole.
  bool take(std::uint32_t i, Level level) {
    if (level == kUndecided) level = judge(i);
    if (level == kUndecided) return take_undecided(i);
    if (level == kOutside) return true;
    for (std::size_t h = level; h < lists->size(); ++h) {
      List& list = (*lists)[h];
      if (list.filled < nsample) list.index[list.filled++] = i;
    }
    return open();
  }

  bool take_undecided(std::uint32_t i) {
    const float* p = support + 3 * std::size_t{i};
    const CylinderBand::Offset o = band.offset(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
    const Verdict shared = o.certain ? band.within_radius_and_above(o) : Verdict::undecided;
    for (List& list : *lists) {
      if (list.filled == nsample) continue;
      const Verdict end = o.certain ? CylinderBand::below(o, list.hmax) : Verdict::undecided;
      if (end == Verdict::outside) continue;
      if (shared == Verdict::undecided || end == Verdict::undecided) {
        handed_back = true;
        return false;
      }
      list.index[list.filled++] = i;
    }
    return open();
  }
};

/// Levels of those of a bucket's entries that are hits of the sphere; calls `visit(entry, level)`
/// in order until it returns false.
template <class Visit>
bool for_each_level(const Task& task, std::size_t bucket, std::uint32_t hits, const Visit& visit) {
  const PointBuckets& b = *task.cloud;
  if (!task.judges_buckets) {
    for (; hits != 0; hits &= hits - 1) {
      const std::size_t at = bucket * kBucket + static_cast<std::size_t>(__builtin_ctz(hits));
      const Level level =
          task.judge(b.xyz[0][at] - task.q[0], b.xyz[1][at] - task.q[1], b.xyz[2][at] - task.q[2]);
      if (!visit(at, level)) return false;
    }
    return true;
  }
  BucketVerdicts verdicts;
  judge_bucket_cpu(b, bucket, task.q, task.float_band, verdicts);
  for (hits &= ~verdicts.outside; hits != 0; hits &= hits - 1) {
    const auto k = static_cast<std::size_t>(__builtin_ctz(hits));
    const Level level = task.level_of(verdicts.low[k], verdicts.high[k]);
    const bool inside = (verdicts.inside >> k & 1) != 0;
    if (!visit(bucket * kBucket + k, inside || level == kOutside ? level : kUndecided))
      return false;
  }
  return true;
}

bool take_in_order(void* state, std::size_t bucket, std::uint32_t hits) {
  auto& task = *static_cast<Task*>(state);
  return for_each_level(task, bucket, hits, [&](std::size_t entry, Level level) {
    return task.take(task.cloud->index[entry], level);
  });
}

bool gather(void* state, std::size_t bucket, std::uint32_t hits) {
  auto& task = *static_cast<Task*>(state);
  return for_each_level(task, bucket, hits, [&](std::size_t entry, Level level) {
    if (level == kOutside) return true;
    const std::uint32_t i = task.cloud->index[entry];
    task.set->insert(i);
    task.levels[i] = level;
    return true;
  });
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
  // As in ball_query. A sphere holds about twice the points of the cylinder inside it.
  bool curve = false;
  if (!plain && m >= 64 && n >= 2048 && finite(query, 3 * m)) {
    const auto end = std::fmax(std::fabs(low), std::fabs(high));
    const double share = share_in_sphere(query, m, support, n, squared_radius + end * end);
    curve = curve_pays(m, n, share, 2.0 * static_cast<double>(nsample), {24, 5});
  }
  PointBuckets cloud;
  if (curve)
    cloud = make_point_buckets(support, morton_order(support, n, nullptr, threads), threads);
  else if (!plain)
    cloud = make_point_buckets(support, n, threads);

  std::vector<List> ends;
  for (std::size_t h = 0; h < hmax.size(); ++h)
    ends.push_back({static_cast<float>(hmax[h]), h, nullptr});
  std::stable_sort(ends.begin(), ends.end(),
                   [](const List& a, const List& b) { return a.hmax < b.hmax; });
  const bool judges_buckets =
      squared_radius > kSmallestBandSquare && squared_radius < kLargestBandSquare;

#pragma omp parallel num_threads(threads) if (threads > 1 && m * n > 40000)
  {
    std::vector<List> lists = ends;
    std::optional<IndexSet> set;
    Scratch<Level> levels;
    if (curve) {
      set.emplace(static_cast<std::size_t>(n));
      levels = Scratch<Level>(static_cast<std::size_t>(n));
    }
#pragma omp for schedule(dynamic, 32)
    for (std::int64_t j = 0; j < m; ++j) {
      for (List& list : lists) {
        list.index = index + (static_cast<std::int64_t>(list.place) * m + j) * nsample;
        list.filled = 0;
      }
      Task task{&cloud, support, query + 3 * j, {}, {}, &lists, nsample, judges_buckets};
      std::copy_n(rotation + 9 * j, 9, task.band.rotation);
      task.band.squared_radius = squared_radius;
      task.band.hmin = low;
      const float sphere = enclosing_sphere(rotation + 9 * j, squared_radius, low, high);
      if (std::isfinite(sphere)) task.float_band = make_float_band(task.band, sphere);
      if (!std::isfinite(largest_magnitude(rotation + 9 * j, 9))) {
        task.handed_back = true;
      } else if (plain || !finite(task.q, 3) || !std::isfinite(sphere)) {
        for (std::int64_t i = 0; i < n; ++i)
          if (!task.take(static_cast<std::uint32_t>(i), task.judge(static_cast<std::uint32_t>(i))))
            break;
      } else if (curve) {
        task.set = &*set;
        task.levels = levels.data();
        sphere_search_cpu(cloud, task.q, sphere, gather, &task);
        set->drain([&](std::uint32_t i) { return task.take(i, levels[i]); });
      } else {
        sphere_search_cpu(cloud, task.q, sphere, take_in_order, &task);
      }
      hand_back[j] = task.handed_back;
      for (const List& list : lists) {
        std::fill(list.index + list.filled, list.index + nsample,
                  list.filled > 0 ? list.index[0] : 0);
        count[static_cast<std::int64_t>(list.place) * m + j] = list.filled;
      }
    }
  }
}

}  // namespace grasppanda::ops
