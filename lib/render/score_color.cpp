#include "lib/render/score_color.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace grasppanda::render {
namespace {

using Triple = std::array<double, 3>;

constexpr std::array<Color, 4> kStops = {Color{86, 58, 190}, Color{201, 52, 148},
                                         Color{250, 128, 66}, Color{255, 238, 90}};

double to_linear(double srgb) {
  return srgb <= 0.04045 ? srgb / 12.92 : std::pow((srgb + 0.055) / 1.055, 2.4);
}
double to_srgb(double linear) {
  return linear <= 0.0031308 ? 12.92 * linear : 1.055 * std::pow(linear, 1 / 2.4) - 0.055;
}

Triple multiply(const std::array<Triple, 3>& m, const Triple& v) {
  Triple out{};
  for (std::size_t i = 0; i < 3; ++i) out[i] = m[i][0] * v[0] + m[i][1] * v[1] + m[i][2] * v[2];
  return out;
}

// The matrices of OKLab, as its author publishes them (bottosson.github.io/posts/oklab).
constexpr std::array<Triple, 3> kLmsFromRgb = {Triple{0.4122214708, 0.5363325363, 0.0514459929},
                                               Triple{0.2119034982, 0.6806995451, 0.1073969566},
                                               Triple{0.0883024619, 0.2817188376, 0.6299787005}};
constexpr std::array<Triple, 3> kLabFromLms = {Triple{0.2104542553, 0.7936177850, -0.0040720468},
                                               Triple{1.9779984951, -2.4285922050, 0.4505937099},
                                               Triple{0.0259040371, 0.7827717662, -0.8086757660}};
constexpr std::array<Triple, 3> kLmsFromLab = {Triple{1, 0.3963377774, 0.2158037573},
                                               Triple{1, -0.1055613458, -0.0638541728},
                                               Triple{1, -0.0894841775, -1.2914855480}};
constexpr std::array<Triple, 3> kRgbFromLms = {Triple{4.0767416621, -3.3077115913, 0.2309699292},
                                               Triple{-1.2684380046, 2.6097574011, -0.3413193965},
                                               Triple{-0.0041960863, -0.7034186147, 1.7076147010}};

Triple lab_of(Color color) {
  Triple rgb{};
  for (std::size_t i = 0; i < 3; ++i) rgb[i] = to_linear(color[i] / 255.0);
  Triple lms = multiply(kLmsFromRgb, rgb);
  for (double& value : lms) value = std::cbrt(value);
  return multiply(kLabFromLms, lms);
}

Color color_of(const Triple& lab) {
  Triple lms = multiply(kLmsFromLab, lab);
  for (double& value : lms) value = value * value * value;
  const Triple rgb = multiply(kRgbFromLms, lms);
  Color out{};
  for (std::size_t i = 0; i < 3; ++i)
    out[i] = static_cast<std::uint8_t>(
        std::lround(255 * std::clamp(to_srgb(std::max(rgb[i], 0.0)), 0.0, 1.0)));
  return out;
}

std::array<Color, 256> make_table() {
  std::array<Triple, kStops.size()> stops{};
  for (std::size_t i = 0; i < stops.size(); ++i) stops[i] = lab_of(kStops[i]);
  std::array<Color, 256> table{};
  for (std::size_t i = 0; i < table.size(); ++i) {
    const double place = static_cast<double>(i) / 255.0 * (stops.size() - 1);
    const auto k = std::min(static_cast<std::size_t>(place), stops.size() - 2);
    Triple lab{};
    for (std::size_t c = 0; c < 3; ++c)
      lab[c] = stops[k][c] + (place - static_cast<double>(k)) * (stops[k + 1][c] - stops[k][c]);
    table[i] = color_of(lab);
  }
  return table;
}

}  // namespace

Color score_color(double t) {
  static const std::array<Color, 256> table = make_table();
  if (!(t > 0)) return table.front();
  return table[static_cast<std::size_t>(std::lround(std::min(t, 1.0) * 255))];
}

ScoreRange score_range(std::span<const geometry::Grasp> grasps) {
  ScoreRange range;
  bool any = false;
  for (const auto& grasp : grasps) {
    const double score = grasp.score;
    if (!std::isfinite(score)) continue;
    range.low = any ? std::min(range.low, score) : score;
    range.high = any ? std::max(range.high, score) : score;
    any = true;
  }
  return range;
}

}  // namespace grasppanda::render
