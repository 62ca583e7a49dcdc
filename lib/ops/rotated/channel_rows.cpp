#include "lib/ops/rotated/channel_rows.h"

#include <algorithm>
#include <cmath>

#include "lib/ops/rotated/roi_sampling.h"

namespace grasppanda::ops {
namespace {

struct Extent {
  float low_y, high_y, low_x, high_x;
};

// Points are an affine picture of a grid: those at its corners bound them all.
Extent extent_of(const RoiPlan& plan, int cells, int height, int width) {
  Extent extent{HUGE_VALF, -HUGE_VALF, HUGE_VALF, -HUGE_VALF};
  for (const int v : {0, 1})
    for (const int u : {0, 1}) {
      float y = 0, x = 0;
      roi_point(plan, cells, height, width, v * (cells - 1), u * (cells - 1), v * (plan.ny - 1),
                u * (plan.nx - 1), &y, &x);
      extent = {std::min(extent.low_y, y), std::max(extent.high_y, y), std::min(extent.low_x, x),
                std::max(extent.high_x, x)};
    }
  return extent;
}

// The pixels around [low, high], a pixel more on either side for rounding, within the map.
std::int64_t first_pixel(float low, int size) {
  return static_cast<std::int64_t>(
      std::clamp(std::floor(low) - 1, 0.0F, static_cast<float>(size - 1)));
}
std::int64_t last_pixel(float high, int size) {
  return static_cast<std::int64_t>(
      std::clamp(std::floor(high) + 2, 0.0F, static_cast<float>(size - 1)));
}

}  // namespace

ChannelRows::ChannelRows(const FeatureMaps& maps)
    : maps_(maps),
      pixels_(std::int64_t{maps.height} * maps.width),
      blocks_((maps.width + kBlock - 1) / kBlock),
      stride_((maps.channels + 15) / 16 * 16),
      rows_(new float[static_cast<std::size_t>(maps.batch * pixels_ * stride_)]),
      wanted_(static_cast<std::size_t>(maps.batch * maps.height * blocks_), 0),
      zeros_(static_cast<std::size_t>(stride_), 0.0F) {}

void ChannelRows::want(const PlannedRoi& roi, int cells) {
  if (roi.plan.nx == 0 || roi.plan.ny == 0) return;
  const Extent extent = extent_of(roi.plan, cells, maps_.height, maps_.width);
  const std::int64_t first = first_pixel(extent.low_x, maps_.width) / kBlock;
  const std::int64_t last = last_pixel(extent.high_x, maps_.width) / kBlock;
  for (std::int64_t y = first_pixel(extent.low_y, maps_.height);
       y <= last_pixel(extent.high_y, maps_.height); ++y) {
    const auto row = wanted_.begin() + (roi.map * maps_.height + y) * blocks_;
    std::fill(row + first, row + last + 1, std::uint8_t{1});
  }
}

void ChannelRows::turn_over(std::int64_t map, std::int64_t y, std::int64_t block) {
  const std::int64_t begin = block * kBlock;
  const std::int64_t count = std::min<std::int64_t>(kBlock, maps_.width - begin);
  const float* from = maps_.values + map * maps_.channels * pixels_ + y * maps_.width + begin;
  float* to = rows_.get() + (map * pixels_ + y * maps_.width + begin) * stride_;
  for (std::int64_t channel = 0; channel < stride_; ++channel)
    for (std::int64_t x = 0; x < count; ++x)
      to[x * stride_ + channel] = channel < maps_.channels ? from[channel * pixels_ + x] : 0;
}

void ChannelRows::fill(int threads) {
  const std::int64_t rows = maps_.batch * maps_.height;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4) if (threads > 1)
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t block = 0; block < blocks_; ++block)
      if (wanted_[static_cast<std::size_t>(row * blocks_ + block)] != 0)
        turn_over(row / maps_.height, row % maps_.height, block);
}

}  // namespace grasppanda::ops
