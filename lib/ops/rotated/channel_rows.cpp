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
      widest_(std::min((maps.channels + 15) / 16 * 16, kGroup)),
      rows_(static_cast<std::size_t>(maps.batch * pixels_ * widest_)),
      wanted_(static_cast<std::size_t>(maps.batch * maps.height * blocks_), 0),
      zeros_(static_cast<std::size_t>(widest_), 0.0F) {}

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

// Sixteen channels along the row, then the next sixteen: as many streams as a processor follows.
void ChannelRows::turn_over(std::int64_t row, std::int64_t first_block, std::int64_t last_block) {
  constexpr std::int64_t kStreams = 16;
  const std::int64_t begin = first_block * kBlock;
  const std::int64_t end = std::min<std::int64_t>(last_block * kBlock, maps_.width);
  const std::int64_t map = row / maps_.height, y = row % maps_.height;
  const float* from = maps_.values + (map * maps_.channels + first_) * pixels_ + y * maps_.width;
  float* to = rows_.data() + (map * pixels_ + y * maps_.width) * stride_;
  for (std::int64_t group = 0; group < stride_; group += kStreams)
    for (std::int64_t x = begin; x < end; x += kBlock) {
      const std::int64_t count = std::min(kBlock, end - x);
      for (std::int64_t channel = group; channel < group + kStreams; ++channel) {
        float* out = to + x * stride_ + channel;
        const float* values = from + channel * pixels_ + x;
        if (channel >= channels_)
          for (std::int64_t i = 0; i < count; ++i) out[i * stride_] = 0;
        else
          for (std::int64_t i = 0; i < count; ++i) out[i * stride_] = values[i];
      }
    }
}

void ChannelRows::fill(std::int64_t first, int threads) {
  first_ = first;
  channels_ = std::min(kGroup, maps_.channels - first);
  stride_ = (channels_ + 15) / 16 * 16;
  const std::int64_t rows = maps_.batch * maps_.height;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 4) if (threads > 1)
  for (std::int64_t row = 0; row < rows; ++row) {
    const std::uint8_t* wanted = wanted_.data() + row * blocks_;
    for (std::int64_t block = 0; block < blocks_; ++block) {
      if (wanted[block] == 0) continue;
      std::int64_t last = block;
      while (last < blocks_ && wanted[last] != 0) ++last;
      turn_over(row, block, last);
      block = last;
    }
  }
}

}  // namespace grasppanda::ops
