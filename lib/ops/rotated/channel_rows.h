// Feature maps with some channels of a pixel side by side, made where RoIs will read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/ops/rotated/roi_align_cpu.h"
#include "lib/ops/scratch.h"

namespace grasppanda::ops {

/// A group of channels at a time, so that a whole map of them stays near the processor, and the
/// memory is the same for all groups. Rows of pixels are turned over in blocks of 16; blocks that
/// nobody asked for stay as they are, without memory behind them.
class ChannelRows {
 public:
  static constexpr std::int64_t kBlock = 16, kGroup = 64;

  explicit ChannelRows(const FeatureMaps& maps);

  /// Asks for the pixels that a RoI may read.
  void want(const PlannedRoi& roi, int cells);
  /// Makes what was asked for of the channels from `first` on, `channels()` of them.
  void fill(std::int64_t first, int threads);

  std::int64_t channels() const { return channels_; }
  /// Floats of a pixel, a multiple of 16; those beyond the channels are 0.
  std::int64_t stride() const { return stride_; }
  /// The first pixel of a map.
  const float* map(std::int64_t index) const { return rows_.data() + index * pixels_ * stride_; }
  /// A pixel outside every map.
  const float* zeros() const { return zeros_.data(); }

 private:
  void turn_over(std::int64_t row, std::int64_t first_block, std::int64_t last_block);

  FeatureMaps maps_;
  std::int64_t pixels_, blocks_, widest_;
  std::int64_t first_ = 0, channels_ = 0, stride_ = 0;
  Scratch<float> rows_;
  std::vector<std::uint8_t> wanted_;  // by map, row and block
  std::vector<float> zeros_;
};

}  // namespace grasppanda::ops
