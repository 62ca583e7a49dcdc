#include "lib/render/stroke.h"

#include <algorithm>
#include <cmath>

namespace grasppanda::render {

StrokeMask::StrokeMask(std::int64_t width, std::int64_t height)
    : width_(width),
      height_(height),
      core_(static_cast<std::size_t>(width * height)),
      outline_(static_cast<std::size_t>(width * height)) {}

void StrokeMask::add(const std::array<double, 2>& from, const std::array<double, 2>& to,
                     const StrokeStyle& style) {
  const double dx = to[0] - from[0], dy = to[1] - from[1];
  const double sq_length = dx * dx + dy * dy;
  const double reach = style.radius + style.outline + 0.5;
  // Half the run that a row cuts out of the band around the infinite line.
  const double half_run =
      std::abs(dy) > 1e-9 ? reach * std::sqrt(sq_length) / std::abs(dy) : INFINITY;
  const auto whole = [](double value, std::int64_t low, std::int64_t high) {
    return static_cast<std::int64_t>(
        std::clamp(value, static_cast<double>(low), static_cast<double>(high)));
  };
  const std::int64_t y0 = whole(std::ceil(std::min(from[1], to[1]) - reach), 0, height_);
  const std::int64_t y1 = whole(std::floor(std::max(from[1], to[1]) + reach), -1, height_ - 1);
  const double left = std::min(from[0], to[0]) - reach, right = std::max(from[0], to[0]) + reach;
  for (std::int64_t y = y0; y <= y1; ++y) {
    const double row = static_cast<double>(y) - from[1];
    const double middle = std::abs(dy) > 1e-9 ? from[0] + dx * (row / dy) : from[0];
    const std::int64_t x0 = whole(std::ceil(std::max(left, middle - half_run)), 0, width_);
    const std::int64_t x1 = whole(std::floor(std::min(right, middle + half_run)), -1, width_ - 1);
    for (std::int64_t x = x0; x <= x1; ++x) {
      const double column = static_cast<double>(x) - from[0];
      const double s =
          sq_length > 0 ? std::clamp((column * dx + row * dy) / sq_length, 0.0, 1.0) : 0.0;
      const double ex = column - s * dx, ey = row - s * dy;
      const double distance = std::sqrt(ex * ex + ey * ey);
      const auto cover = [&](double radius, double opacity) {
        return static_cast<std::uint8_t>(
            255 * opacity * std::clamp(radius + 0.5 - distance, 0.0, 1.0) + 0.5);
      };
      const std::uint8_t core = cover(style.radius, style.core_opacity);
      const std::uint8_t outline = cover(style.radius + style.outline, style.outline_opacity);
      if (core == 0 && outline == 0) continue;
      const auto at = static_cast<std::size_t>(y * width_ + x);
      if (core_[at] == 0 && outline_[at] == 0) touched_.push_back(at);
      core_[at] = std::max(core_[at], core);
      outline_[at] = std::max(outline_[at], outline);
    }
  }
}

void StrokeMask::paint(Canvas& canvas, Color core, Color outline) {
  for (const std::size_t at : touched_) {
    const auto x = static_cast<std::int64_t>(at) % width_;
    const auto y = static_cast<std::int64_t>(at) / width_;
    canvas.blend(x, y, outline, outline_[at]);
    canvas.blend(x, y, core, core_[at]);
    core_[at] = outline_[at] = 0;
  }
  touched_.clear();
}

}  // namespace grasppanda::render
