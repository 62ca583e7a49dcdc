// Feature maps with the channels of a pixel side by side, made where RoIs will read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "lib/ops/rotated/roi_align_cpu.h"

namespace grasppanda::ops {

/// Pixels are turned over in blocks of 16 along a row; blocks that nobody asked for stay as they
/// are, without memory behind them.
class ChannelRows {
 public:
  static constexpr std::int64_t kBlock = 16;

  explicit ChannelRows(const FeatureMaps& maps);

  /// Asks for the pixels that a RoI may read.
  void want(const PlannedRoi& roi, int cells);
  /// Makes what was asked for.
  void fill(int threads);

  /// Channels of a pixel, `stride()` floats, the last ones 0; all 0 for place -1.
  const float* pixel(std::int64_t map, std::int64_t place) const {
    return place < 0 ? zeros_.data() : rows_.get() + (map * pixels_ + place) * stride_;
  }
  std::int64_t stride() const { return stride_; }

 private:
  void turn_over(std::int64_t map, std::int64_t y, std::int64_t block);

  FeatureMaps maps_;
  std::int64_t pixels_, blocks_, stride_;
  std::unique_ptr<float[]> rows_;
  std::vector<std::uint8_t> wanted_;  // by map, row and block
  std::vector<float> zeros_;
};

}  // namespace grasppanda::ops
