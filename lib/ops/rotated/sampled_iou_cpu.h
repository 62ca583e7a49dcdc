// The CPU kernel of sampled_iou. No LibTorch here.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/ops/rotated/sampled_box.h"

namespace grasppanda::ops {

/// The samples of boxes, kept side by side; padded with NaN, which lies in nothing.
class SampledPoints {
 public:
  /// `grid` points a side.
  SampledPoints(const std::vector<SampledBox>& boxes, std::size_t begin, std::size_t end,
                std::size_t grid);
  const float* x(std::size_t box) const { return points_.data() + (box - begin_) * 2 * stride_; }
  const float* y(std::size_t box) const { return x(box) + stride_; }
  std::size_t stride() const { return stride_; }

 private:
  std::size_t begin_, stride_;
  std::vector<float> points_;
};

/// IoU of two boxes without a look at their bounds; `i` and `j` are their places in the points.
float sampled_pair_cpu(const SampledBox& a, const SampledPoints& points_a, std::size_t i,
                       const SampledBox& b, const SampledPoints& points_b, std::size_t j,
                       std::size_t num_samples);

/// out (N x M): every entry is written. `grid` points a side.
void sampled_iou_cpu(const std::vector<SampledBox>& first, const std::vector<SampledBox>& second,
                     std::size_t grid, int threads, float* out);

/// out (N): pair k with pair k.
void aligned_sampled_iou_cpu(const std::vector<SampledBox>& first,
                             const std::vector<SampledBox>& second, std::size_t grid, int threads,
                             float* out);

}  // namespace grasppanda::ops
