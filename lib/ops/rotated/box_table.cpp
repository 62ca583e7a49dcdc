#include "lib/ops/rotated/box_table.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace grasppanda::ops {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
constexpr std::size_t kPadding = 16;  // lanes of the widest vector

// One step further out in any case: the conversion may have rounded inwards.
float outwards(double bound, float side) {
  return std::nextafter(static_cast<float>(bound), side);
}

template <class T>
std::vector<BoxFrame> frames_of(const T* rows, std::size_t count, int threads) {
  std::vector<BoxFrame> frames(count);
  const auto last = static_cast<std::ptrdiff_t>(count);
#pragma omp parallel for num_threads(threads) if (threads > 1 && count > 2000)
  for (std::ptrdiff_t i = 0; i < last; ++i) {
    const T* row = rows + 5 * i;
    frames[static_cast<std::size_t>(i)] = box_frame(row[0], row[1], row[2], row[3], row[4]);
  }
  return frames;
}

}  // namespace

void OuterBounds::grow(std::size_t capacity) {
  if (capacity + kPadding <= low_x.size()) return;
  const std::size_t size = std::max(capacity + kPadding, 2 * low_x.size());
  low_x.resize(size, kInf);
  low_y.resize(size, kInf);
  high_x.resize(size, -kInf);
  high_y.resize(size, -kInf);
}

void OuterBounds::reserve(std::size_t count) {
  grow(count);
}

void OuterBounds::push_back(const BoxFrame& frame) {
  grow(size_ + 1);
  if (frame.area > 0) {
    low_x[size_] = outwards(frame.low_x, -kInf);
    low_y[size_] = outwards(frame.low_y, -kInf);
    high_x[size_] = outwards(frame.high_x, kInf);
    high_y[size_] = outwards(frame.high_y, kInf);
  }
  ++size_;
}

std::vector<BoxFrame> box_frames(const float* rows, std::size_t count, int threads) {
  return frames_of(rows, count, threads);
}

std::vector<BoxFrame> box_frames(const double* rows, std::size_t count, int threads) {
  return frames_of(rows, count, threads);
}

OuterBounds outer_bounds(const std::vector<BoxFrame>& frames) {
  OuterBounds bounds;
  bounds.reserve(frames.size());
  for (const BoxFrame& frame : frames) bounds.push_back(frame);
  return bounds;
}

}  // namespace grasppanda::ops
