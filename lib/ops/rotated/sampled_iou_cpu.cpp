// Sixteen points at a time against the four edges of a box.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/rotated/sampled_iou_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <limits>

#include "lib/ops/rotated/sampled_iou_cpu.h"

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::sampled {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using F = hn::CappedTag<float, 16>;

/// Of `count` points, a multiple of 16, those in the box.
std::size_t CountInside(const float* px, const float* py, std::size_t count,
                        const SampledBox& box) {
  const F d;
  const auto zero = hn::Zero(d);
  std::size_t inside = 0;
  for (std::size_t k = 0; k < count; k += hn::Lanes(d)) {
    const auto x = hn::LoadU(d, px + k), y = hn::LoadU(d, py + k);
    auto left = hn::Eq(zero, zero), right = left;
    for (int edge = 0; edge < 4; ++edge) {
      const int next = (edge + 1) % 4;
      const auto ex = hn::Set(d, box.corner_x[next] - box.corner_x[edge]);
      const auto ey = hn::Set(d, box.corner_y[next] - box.corner_y[edge]);
      const auto cross = hn::Sub(hn::Mul(ex, hn::Sub(y, hn::Set(d, box.corner_y[edge]))),
                                 hn::Mul(ey, hn::Sub(x, hn::Set(d, box.corner_x[edge]))));
      left = hn::And(left, hn::Ge(cross, zero));
      right = hn::And(right, hn::Le(cross, zero));
    }
    inside += hn::CountTrue(d, hn::Or(left, right));
  }
  return inside;
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::sampled
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace grasppanda::ops {
namespace sampled {
HWY_EXPORT(CountInside);
}  // namespace sampled

namespace {

constexpr std::size_t kLanes = 16;
constexpr std::size_t kMostPoints = std::size_t{1} << 24;  // 128 MiB of samples at once

std::size_t padded(std::size_t count) {
  return (count + kLanes - 1) / kLanes * kLanes;
}

std::size_t boxes_at_once(std::size_t grid) {
  return std::max<std::size_t>(1, kMostPoints / padded(grid * grid));
}

}  // namespace

SampledPoints::SampledPoints(const std::vector<SampledBox>& boxes, std::size_t begin,
                             std::size_t end, std::size_t grid)
    : begin_(begin),
      stride_(padded(grid * grid)),
      points_((end - begin) * 2 * stride_, std::numeric_limits<float>::quiet_NaN()) {
  const auto last = static_cast<long long>(grid);
  std::vector<float> values(grid);
  for (long long i = 0; i < last; ++i) values[static_cast<std::size_t>(i)] = grid_value(i, last);
  for (std::size_t i = begin; i < end; ++i) {
    const SampledBox& box = boxes[i];
    float* px = points_.data() + (i - begin) * 2 * stride_;
    float* py = px + stride_;
    for (const float v : values) {
      const float y = v * box.h, along_x = y * box.sine, along_y = y * box.cosine;
      for (const float u : values) {
        const float x = u * box.w;
        *px++ = box.x + (x * box.cosine - along_x);
        *py++ = box.y + (x * box.sine + along_y);
      }
    }
  }
}

float sampled_pair_cpu(const SampledBox& a, const SampledPoints& points_a, std::size_t i,
                       const SampledBox& b, const SampledPoints& points_b, std::size_t j,
                       std::size_t num_samples) {
  using namespace sampled;
  const auto count = HWY_DYNAMIC_DISPATCH(CountInside);
  const std::size_t of_a = count(points_a.x(i), points_a.y(i), points_a.stride(), b);
  const std::size_t of_b = count(points_b.x(j), points_b.y(j), points_b.stride(), a);
  return sampled_ratio(a, b, static_cast<float>(of_a), static_cast<float>(of_b),
                       static_cast<float>(num_samples));
}

void sampled_iou_cpu(const std::vector<SampledBox>& first, const std::vector<SampledBox>& second,
                     std::size_t grid, int threads, float* out) {
  const std::size_t n = first.size(), m = second.size(), step = boxes_at_once(grid);
  for (std::size_t column = 0; column < m; column += step) {
    const std::size_t column_end = std::min(m, column + step);
    const SampledPoints columns(second, column, column_end, grid);
    for (std::size_t row = 0; row < n; row += step) {
      const std::size_t row_end = std::min(n, row + step);
      const SampledPoints rows(first, row, row_end, grid);
      const auto begin = static_cast<std::ptrdiff_t>(row);
      const auto end = static_cast<std::ptrdiff_t>(row_end);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4) if (threads > 1)
      for (std::ptrdiff_t r = begin; r < end; ++r) {
        const auto i = static_cast<std::size_t>(r);
        for (std::size_t j = column; j < column_end; ++j)
          out[i * m + j] =
              bounds_meet(first[i], second[j])
                  ? sampled_pair_cpu(first[i], rows, i, second[j], columns, j, grid * grid)
                  : 0;
      }
    }
  }
}

void aligned_sampled_iou_cpu(const std::vector<SampledBox>& first,
                             const std::vector<SampledBox>& second, std::size_t grid, int threads,
                             float* out) {
  const std::size_t n = first.size(), step = std::min<std::size_t>(boxes_at_once(grid), 64);
  const auto parts = static_cast<std::ptrdiff_t>((n + step - 1) / step);
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) if (threads > 1)
  for (std::ptrdiff_t part = 0; part < parts; ++part) {
    const std::size_t begin = static_cast<std::size_t>(part) * step;
    const std::size_t end = std::min(n, begin + step);
    const SampledPoints points_a(first, begin, end, grid), points_b(second, begin, end, grid);
    for (std::size_t i = begin; i < end; ++i)
      out[i] = bounds_meet(first[i], second[i])
                   ? sampled_pair_cpu(first[i], points_a, i, second[i], points_b, i, grid * grid)
                   : 0;
  }
}

}  // namespace grasppanda::ops
#endif
