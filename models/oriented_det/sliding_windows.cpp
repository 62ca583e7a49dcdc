#include "models/oriented_det/sliding_windows.h"

#include <ATen/ATen.h>

#include <algorithm>

namespace grasppanda::models::oriented_det {

namespace {

std::vector<std::int64_t> origins(std::int64_t length, std::int64_t side, std::int64_t overlap) {
  if (length <= side) return {0};
  const std::int64_t step = std::max<std::int64_t>(side - std::min(overlap, side - 1), 1);
  std::vector<std::int64_t> result;
  for (std::int64_t at = 0; at < length; at += step) result.push_back(at);
  result.back() = length - side;
  // A repeat of an earlier one is removed, whatever lies between.
  if (std::find(result.begin(), result.end() - 1, result.back()) != result.end() - 1) {
    result.pop_back();
  }
  return result;
}

}  // namespace

std::vector<SlidingWindow> sliding_windows(std::int64_t width, std::int64_t height,
                                           std::int64_t side, std::int64_t overlap) {
  std::vector<SlidingWindow> windows;
  for (const std::int64_t y : origins(height, side, overlap)) {
    for (const std::int64_t x : origins(width, side, overlap)) {
      windows.push_back({x, y, std::min(side, width - x), std::min(side, height - y)});
    }
  }
  return windows;
}

at::Tensor cut(const at::Tensor& picture, const SlidingWindow& window, std::int64_t side) {
  at::Tensor pixels = at::zeros({side, side, 3}, at::kByte);
  pixels.narrow(0, 0, window.height)
      .narrow(1, 0, window.width)
      .copy_(picture.narrow(0, window.y, window.height).narrow(1, window.x, window.width));
  return pixels;
}

void add_window(const std::vector<Candidate>& found, const SlidingWindow& window,
                std::vector<Candidate>& all) {
  constexpr float kMargin = 1e-3F;
  const auto width = static_cast<float>(window.width), height = static_cast<float>(window.height);
  for (Candidate c : found) {
    const bool inside = c.box.cx >= -kMargin && c.box.cx < width - kMargin &&
                        c.box.cy >= -kMargin && c.box.cy < height - kMargin;
    if (!inside) continue;
    c.box.cx += static_cast<float>(window.x);
    c.box.cy += static_cast<float>(window.y);
    all.push_back(c);
  }
}

}  // namespace grasppanda::models::oriented_det
