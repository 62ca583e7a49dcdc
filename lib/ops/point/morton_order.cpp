#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/point/morton_order.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "lib/ops/point/morton_order.h"

#ifndef GRASPPANDA_MORTON_SHARED
#define GRASPPANDA_MORTON_SHARED
namespace grasppanda::ops::morton {

/// From coordinates to cells of a cubic grid. Outliers are clamped into the border cells.
struct Grid {
  float low[3];
  float scale;
  float largest;
};

}  // namespace grasppanda::ops::morton
#endif

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::morton {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using F = hn::ScalableTag<float>;
using U = hn::RebindToUnsigned<F>;

HWY_INLINE hn::Vec<U> Cell(hn::Vec<F> value, float low, const Grid& grid) {
  const F d;
  const auto cell = hn::Mul(hn::Sub(value, hn::Set(d, low)), hn::Set(d, grid.scale));
  const auto clamped = hn::Min(hn::Max(cell, hn::Zero(d)), hn::Set(d, grid.largest));
  return hn::BitCast(U(), hn::ConvertTo(hn::RebindToSigned<F>(), clamped));
}

/// Bit i of the low 10 bits goes to bit 3i.
HWY_INLINE hn::Vec<U> Spread(hn::Vec<U> v) {
  const U d;
  v = hn::And(hn::Or(v, hn::ShiftLeft<16>(v)), hn::Set(d, 0x030000FFu));
  v = hn::And(hn::Or(v, hn::ShiftLeft<8>(v)), hn::Set(d, 0x0300F00Fu));
  v = hn::And(hn::Or(v, hn::ShiftLeft<4>(v)), hn::Set(d, 0x030C30C3u));
  return hn::And(hn::Or(v, hn::ShiftLeft<2>(v)), hn::Set(d, 0x09249249u));
}

/// Keys of `count` points.
void Keys(const float* HWY_RESTRICT points, std::size_t count, const Grid& grid,
          std::uint32_t* HWY_RESTRICT keys) {
  const F d;
  const U du;
  const auto key_of = [&](hn::Vec<F> x, hn::Vec<F> y, hn::Vec<F> z) HWY_ATTR {
    return hn::Or(hn::Or(hn::ShiftLeft<2>(Spread(Cell(x, grid.low[0], grid))),
                         hn::ShiftLeft<1>(Spread(Cell(y, grid.low[1], grid)))),
                  Spread(Cell(z, grid.low[2], grid)));
  };
  std::size_t k = 0;
  for (; k + hn::Lanes(d) <= count; k += hn::Lanes(d)) {
    hn::Vec<F> x, y, z;
    hn::LoadInterleaved3(d, points + 3 * k, x, y, z);
    hn::StoreU(key_of(x, y, z), du, keys + k);
  }
  for (; k < count; ++k)
    keys[k] = hn::GetLane(key_of(hn::Set(d, points[3 * k]), hn::Set(d, points[3 * k + 1]),
                                 hn::Set(d, points[3 * k + 2])));
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::morton
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace grasppanda::ops {
namespace morton {
namespace {

HWY_EXPORT(Keys);

constexpr std::int64_t kThreadsFrom = 50000;  // points

/// Bits per axis, and of the key in each of the two passes of the sort: cells of about a bucket's
/// size, histograms that stay in the first-level cache.
struct Digits {
  int axis, first, second;
};
Digits digits_for(std::int64_t n) {
  if (n <= 32768) return {6, 9, 9};
  return n <= 400000 ? Digits{7, 10, 11} : Digits{8, 12, 12};
}

/// One cube for all axes, as large as most of the cloud: a few far-off points (sensor noise) must
/// not squeeze all others into one cell.
Grid make_grid(const float* points, std::int64_t n, int bits) {
  std::array<double, 3> sum{}, sum2{};
  std::array<float, 3> low{points[0], points[1], points[2]}, high = low;
  // A sample of the cloud is enough to place a grid that decides nothing but speed.
  const std::int64_t step = std::max<std::int64_t>(1, n / 1024);
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < n; i += step, ++count) {
    for (std::size_t c = 0; c < 3; ++c) {
      const float v = points[3 * i + static_cast<std::int64_t>(c)];
      sum[c] += v;
      sum2[c] += static_cast<double>(v) * v;
      low[c] = std::min(low[c], v);
      high[c] = std::max(high[c], v);
    }
  }
  Grid grid{};
  double extent = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const double mean = sum[c] / static_cast<double>(count);
    const double deviation =
        std::sqrt(std::max(0.0, sum2[c] / static_cast<double>(count) - mean * mean));
    const double from = std::max<double>(low[c], mean - 3 * deviation);
    const double to = std::min<double>(high[c], mean + 3 * deviation);
    grid.low[c] = static_cast<float>(from);
    extent = std::max(extent, to - from);
  }
  const double cells = static_cast<double>((1 << bits) - 1);
  const auto scale = static_cast<float>(extent > 0 ? cells / extent : 0);
  grid.scale = std::isfinite(scale) ? scale : 0.0f;
  grid.largest = static_cast<float>(cells);
  return grid;
}

/// Starts of the runs of equal digits, from their counts in each part of the input: [part][digit].
void accumulate(Scratch<std::uint32_t>& counts, std::size_t parts, std::size_t digits) {
  std::uint32_t total = 0;
  for (std::size_t digit = 0; digit < digits; ++digit)
    for (std::size_t part = 0; part < parts; ++part) {
      const std::uint32_t count = counts[part * digits + digit];
      counts[part * digits + digit] = total;
      total += count;
    }
}

/// The two passes of a stable radix sort, each part of the input by one thread: points to items
/// (key, index) by the first digit, items to indices by the second.
struct Sort {
  const float* points;
  const std::uint8_t* keep;
  std::int64_t n;
  Digits digits;
  Grid grid;
  std::size_t parts;
  Scratch<std::uint32_t> keys, counts;
  Scratch<std::uint64_t> items;
  std::int64_t kept = 0;

  std::int64_t begin_of(std::size_t part, std::int64_t size) const {
    return size * static_cast<std::int64_t>(part) / static_cast<std::int64_t>(parts);
  }

  void count_first(std::size_t part) {
    const std::size_t mask = (std::size_t{1} << digits.first) - 1;
    std::uint32_t* count = counts.data() + part * (mask + 1);
    std::fill(count, count + mask + 1, 0u);
    const std::int64_t begin = begin_of(part, n), end = begin_of(part + 1, n);
    HWY_DYNAMIC_DISPATCH(Keys)
    (points + 3 * begin, static_cast<std::size_t>(end - begin), grid, keys.data() + begin);
    for (std::int64_t i = begin; i < end; ++i)
      if (keep == nullptr || keep[i] != 0) ++count[keys[static_cast<std::size_t>(i)] & mask];
  }

  void scatter_first(std::size_t part) {
    const std::size_t mask = (std::size_t{1} << digits.first) - 1;
    std::uint32_t* next = counts.data() + part * (mask + 1);
    for (std::int64_t i = begin_of(part, n); i < begin_of(part + 1, n); ++i) {
      if (keep != nullptr && keep[i] == 0) continue;
      const std::uint32_t key = keys[static_cast<std::size_t>(i)];
      items[next[key & mask]++] =
          (std::uint64_t{key >> digits.first} << 32) | static_cast<std::uint32_t>(i);
    }
  }

  void count_second(std::size_t part) {
    const std::size_t size = std::size_t{1} << digits.second;
    std::uint32_t* count = counts.data() + part * size;
    std::fill(count, count + size, 0u);
    for (std::int64_t i = begin_of(part, kept); i < begin_of(part + 1, kept); ++i)
      ++count[items[static_cast<std::size_t>(i)] >> 32];
  }

  void scatter_second(std::size_t part, std::uint32_t* order) {
    std::uint32_t* next = counts.data() + part * (std::size_t{1} << digits.second);
    for (std::int64_t i = begin_of(part, kept); i < begin_of(part + 1, kept); ++i) {
      const std::uint64_t item = items[static_cast<std::size_t>(i)];
      order[next[item >> 32]++] = static_cast<std::uint32_t>(item);
    }
  }
};

}  // namespace
}  // namespace morton

Scratch<std::uint32_t> morton_order(const float* points, std::int64_t n, const std::uint8_t* keep,
                                    int threads) {
  using namespace morton;
  if (n == 0) return {};
  if (n < kThreadsFrom || threads < 1) threads = 1;
  const Digits digits = digits_for(n);
  const auto parts = static_cast<std::size_t>(threads), size = static_cast<std::size_t>(n);
  Sort sort{points,
            keep,
            n,
            digits,
            make_grid(points, n, digits.axis),
            parts,
            Scratch<std::uint32_t>(size),
            Scratch<std::uint32_t>(parts << std::max(digits.first, digits.second)),
            Scratch<std::uint64_t>(size)};
  sort.kept = keep == nullptr ? n : std::count_if(keep, keep + n, [](auto k) { return k != 0; });
  Scratch<std::uint32_t> order(static_cast<std::size_t>(sort.kept));
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
#pragma omp for schedule(static, 1)
    for (std::size_t part = 0; part < parts; ++part) sort.count_first(part);
#pragma omp single
    accumulate(sort.counts, parts, std::size_t{1} << digits.first);
#pragma omp for schedule(static, 1)
    for (std::size_t part = 0; part < parts; ++part) sort.scatter_first(part);
#pragma omp for schedule(static, 1)
    for (std::size_t part = 0; part < parts; ++part) sort.count_second(part);
#pragma omp single
    accumulate(sort.counts, parts, std::size_t{1} << digits.second);
#pragma omp for schedule(static, 1)
    for (std::size_t part = 0; part < parts; ++part) sort.scatter_second(part, order.data());
  }
  return order;
}

}  // namespace grasppanda::ops
#endif
