#include "lib/ops/point/morton_order.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>

namespace grasppanda::ops {
namespace {

constexpr std::int64_t kFineFrom = 400000;     // points
constexpr std::int64_t kThreadsFrom = 200000;  // points

/// Spreads the low 10 bits of v: bit i goes to bit 3i.
constexpr std::uint32_t spread_bits(std::uint32_t v) {
  v = (v | (v << 16)) & 0x030000FFu;
  v = (v | (v << 8)) & 0x0300F00Fu;
  v = (v | (v << 4)) & 0x030C30C3u;
  v = (v | (v << 2)) & 0x09249249u;
  return v;
}

struct Quantizer {
  std::array<float, 3> low;
  float scale;
  float largest;

  std::uint32_t cell(float value, int axis) const {
    // Outliers are clamped into the border cells.
    return static_cast<std::uint32_t>(
        std::clamp((value - low[static_cast<std::size_t>(axis)]) * scale, 0.0f, largest));
  }
  std::uint32_t key(const float* p) const {
    return (spread_bits(cell(p[0], 0)) << 2) | (spread_bits(cell(p[1], 1)) << 1) |
           spread_bits(cell(p[2], 2));
  }
};

/// One cube for all axes, as large as most of the cloud: a few far-off points (sensor noise) must
/// not squeeze all others into one cell.
Quantizer make_quantizer(const float* points, std::int64_t n, int bits) {
  std::array<double, 3> sum{}, sum2{};
  std::array<float, 3> low{points[0], points[1], points[2]}, high = low;
  // A sample of the cloud is enough to place a grid that decides nothing but speed.
  const std::int64_t step = std::max<std::int64_t>(1, n / 4096);
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
  double extent = 0;
  for (std::size_t c = 0; c < 3; ++c) {
    const double mean = sum[c] / static_cast<double>(count);
    const double deviation =
        std::sqrt(std::max(0.0, sum2[c] / static_cast<double>(count) - mean * mean));
    const double from = std::max<double>(low[c], mean - 3 * deviation);
    const double to = std::min<double>(high[c], mean + 3 * deviation);
    low[c] = static_cast<float>(from);
    extent = std::max(extent, to - from);
  }
  const double cells = static_cast<double>((1 << bits) - 1);
  const double scale = extent > 0 ? cells / extent : 0;
  return {low, std::isfinite(static_cast<float>(scale)) ? static_cast<float>(scale) : 0.0f,
          static_cast<float>(cells)};
}

/// Stable counting sort of (key, index) pairs by `width` bits of the key from `shift` on.
void sort_pass(const std::uint64_t* from, std::uint64_t* to, std::int64_t n, int shift, int width,
               int threads) {
  const std::size_t buckets = std::size_t{1} << width;
  const std::uint64_t mask = buckets - 1;
  const auto parts = static_cast<std::size_t>(threads);
  std::vector<std::uint32_t> start(parts * buckets, 0);
  const auto begin_of = [&](std::size_t part) {
    return n * static_cast<std::int64_t>(part) / threads;
  };
#pragma omp parallel num_threads(threads) if (threads > 1)
  {
#pragma omp for schedule(static, 1)
    for (int part = 0; part < threads; ++part) {
      std::uint32_t* histogram = start.data() + static_cast<std::size_t>(part) * buckets;
      const std::int64_t end = begin_of(static_cast<std::size_t>(part) + 1);
      for (std::int64_t i = begin_of(static_cast<std::size_t>(part)); i < end; ++i)
        ++histogram[(from[i] >> shift) & mask];
    }
#pragma omp single
    {
      std::uint32_t total = 0;
      for (std::size_t bucket = 0; bucket < buckets; ++bucket)
        for (std::size_t part = 0; part < parts; ++part) {
          const std::uint32_t count = start[part * buckets + bucket];
          start[part * buckets + bucket] = total;
          total += count;
        }
    }
#pragma omp for schedule(static, 1)
    for (int part = 0; part < threads; ++part) {
      std::uint32_t* next = start.data() + static_cast<std::size_t>(part) * buckets;
      const std::int64_t end = begin_of(static_cast<std::size_t>(part) + 1);
      for (std::int64_t i = begin_of(static_cast<std::size_t>(part)); i < end; ++i) {
        const std::uint64_t item = from[i];
        to[next[(item >> shift) & mask]++] = item;
      }
    }
  }
}

}  // namespace

std::vector<std::uint32_t> morton_order(const float* points, std::int64_t n,
                                        const std::uint8_t* keep, int threads) {
  if (n == 0) return {};
  // 7 bits an axis give cells of about a bucket's size up to several 100 000 points of a surface,
  // and two passes of the sort; 8 bits serve the rest, still in two passes.
  const int bits = n <= kFineFrom ? 7 : 8;
  const int width = n <= kFineFrom ? 11 : 12;
  if (n < kThreadsFrom) threads = 1;
  const Quantizer quantizer = make_quantizer(points, n, bits);

  // Left uninitialised: clearing tens of megabytes first would cost as much as a pass.
  const auto items = std::make_unique_for_overwrite<std::uint64_t[]>(static_cast<std::size_t>(n));
  const auto scratch = std::make_unique_for_overwrite<std::uint64_t[]>(static_cast<std::size_t>(n));
  const auto item = [&](std::int64_t i) {
    return (static_cast<std::uint64_t>(quantizer.key(points + 3 * i)) << 32) |
           static_cast<std::uint64_t>(i);
  };
  std::int64_t count = 0;
  if (keep == nullptr) {
    count = n;
#pragma omp parallel for num_threads(threads) if (threads > 1)
    for (std::int64_t i = 0; i < n; ++i) items[static_cast<std::size_t>(i)] = item(i);
  } else {
    for (std::int64_t i = 0; i < n; ++i)
      if (keep[i] != 0) items[static_cast<std::size_t>(count++)] = item(i);
  }
  sort_pass(items.get(), scratch.get(), count, 32, width, threads);
  sort_pass(scratch.get(), items.get(), count, 32 + width, width, threads);

  std::vector<std::uint32_t> order(static_cast<std::size_t>(count));
#pragma omp parallel for num_threads(threads) if (threads > 1)
  for (std::int64_t i = 0; i < count; ++i)
    order[static_cast<std::size_t>(i)] =
        static_cast<std::uint32_t>(items[static_cast<std::size_t>(i)]);
  return order;
}

}  // namespace grasppanda::ops
