// The boxes of a call, ready for the exact kernels. No LibTorch here.
#pragma once

#include <cstddef>
#include <vector>

#include "lib/ops/rotated/box_frame.h"

namespace grasppanda::ops {

/// Axis-aligned bounds in float32, rounded outwards: what they call apart is apart. Arrays end with
/// crossed bounds, so that a vector may read beyond the last box.
struct OuterBounds {
  std::vector<float> low_x, low_y, high_x, high_y;

  void reserve(std::size_t count);
  void push_back(const BoxFrame& frame);
  std::size_t size() const { return size_; }

 private:
  void grow(std::size_t capacity);
  std::size_t size_ = 0;
};

/// `rows`: count x 5, (cx, cy, w, h, angle), pixels and radians.
std::vector<BoxFrame> box_frames(const float* rows, std::size_t count, int threads);
std::vector<BoxFrame> box_frames(const double* rows, std::size_t count, int threads);

OuterBounds outer_bounds(const std::vector<BoxFrame>& frames);

}  // namespace grasppanda::ops
