#include "lib/render/cloud_color.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace grasppanda::render {
namespace {

constexpr Color kTop{46, 52, 63}, kBottom{24, 27, 34};     // of the background
constexpr Color kLow{96, 112, 134}, kHigh{236, 229, 214};  // of heights

Color mix(Color a, Color b, double t) {
  Color out{};
  for (std::size_t c = 0; c < 3; ++c)
    out[c] = static_cast<std::uint8_t>(std::lround(a[c] + t * (b[c] - a[c])));
  return out;
}

}  // namespace

void paint_background(Canvas& canvas) {
  for (std::int64_t y = 0; y < canvas.height(); ++y)
    canvas.fill(
        0, y, canvas.width(), 1,
        mix(kTop, kBottom, (static_cast<double>(y) + 0.5) / static_cast<double>(canvas.height())));
}

std::array<double, 2> quantiles(std::vector<double> values, double low, double high) {
  std::erase_if(values, [](double value) { return !std::isfinite(value); });
  if (values.empty()) return {0, 0};
  const auto at = [&](double fraction) {
    const auto k =
        static_cast<std::ptrdiff_t>(std::lround(fraction * static_cast<double>(values.size() - 1)));
    std::nth_element(values.begin(), values.begin() + k, values.end());
    return values[static_cast<std::size_t>(k)];
  };
  const double first = at(low);
  return {first, at(high)};
}

std::vector<std::uint8_t> cloud_colors(std::span<const double> xyz,
                                       std::span<const std::uint8_t> rgb,
                                       const geometry::Vec3& up) {
  if (!rgb.empty() && rgb.size() >= xyz.size()) return {rgb.begin(), rgb.end()};
  std::vector<double> heights(xyz.size() / 3);
  for (std::size_t i = 0; i < heights.size(); ++i)
    heights[i] = xyz[3 * i] * up[0] + xyz[3 * i + 1] * up[1] + xyz[3 * i + 2] * up[2];
  // Every few heights are enough for the scale.
  std::vector<double> some;
  for (std::size_t i = 0; i < heights.size(); i += 1 + heights.size() / 50000)
    some.push_back(heights[i]);
  const auto [low, high] = quantiles(std::move(some), 0.01, 0.99);
  std::vector<std::uint8_t> out;
  out.reserve(3 * heights.size());
  for (const double height : heights) {
    const double t = high > low ? (height - low) / (high - low) : 0.5;
    const Color color = mix(kLow, kHigh, std::isfinite(t) ? std::clamp(t, 0.0, 1.0) : 0.0);
    out.insert(out.end(), color.begin(), color.end());
  }
  return out;
}

}  // namespace grasppanda::render
