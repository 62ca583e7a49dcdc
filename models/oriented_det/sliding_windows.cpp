#include "models/oriented_det/sliding_windows.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace grasppanda::models::oriented_det {

namespace {

std::vector<std::int64_t> origins(std::int64_t length, std::int64_t side, double overlap) {
  if (length <= side) return {0};
  const std::int64_t step = window_step(side, overlap);
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

std::int64_t window_step(std::int64_t side, double overlap) {
  const auto whole = static_cast<double>(side);
  const double pixels = overlap < 1 ? overlap * whole : std::min(overlap, whole - 1);
  // Halves to the even side, as the package rounds.
  return std::max<std::int64_t>(static_cast<std::int64_t>(std::nearbyint(whole - pixels)), 1);
}

std::vector<SlidingWindow> sliding_windows(std::int64_t width, std::int64_t height, Canvas canvas,
                                           double overlap) {
  std::vector<SlidingWindow> windows;
  for (const std::int64_t y : origins(height, canvas.height, overlap)) {
    for (const std::int64_t x : origins(width, canvas.width, overlap)) {
      windows.push_back(
          {x, y, std::min(canvas.width, width - x), std::min(canvas.height, height - y)});
    }
  }
  return windows;
}

at::Tensor cut(const at::Tensor& picture, const SlidingWindow& window, Canvas canvas) {
  at::Tensor pixels = at::zeros({canvas.height, canvas.width, 3}, at::kByte);
  pixels.narrow(0, 0, window.height)
      .narrow(1, 0, window.width)
      .copy_(picture.narrow(0, window.y, window.height).narrow(1, window.x, window.width));
  return pixels;
}

void add_window(const std::vector<Candidate>& found, const SlidingWindow& window,
                const WindowBorder& border, std::vector<Candidate>& all) {
  constexpr float kSlack = 1e-3F;
  const auto counts = [&](float centre, std::int64_t begin, std::int64_t length,
                          std::int64_t whole) {
    const auto end = static_cast<float>(length);
    if (!(centre >= -kSlack && centre < end - kSlack)) return false;
    const auto margin = static_cast<float>(border.ignored_margin);
    if (margin <= 0) return true;
    return (begin == 0 || centre >= margin) && (begin + length >= whole || centre < end - margin);
  };
  for (Candidate c : found) {
    if (!counts(c.box.cx, window.x, window.width, border.width) ||
        !counts(c.box.cy, window.y, window.height, border.height)) {
      continue;
    }
    c.box.cx += static_cast<float>(window.x);
    c.box.cy += static_cast<float>(window.y);
    all.push_back(c);
  }
}

}  // namespace grasppanda::models::oriented_det
