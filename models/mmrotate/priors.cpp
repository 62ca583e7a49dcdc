#include "models/mmrotate/priors.h"

#include <array>
#include <cmath>

namespace grasppanda::models::mmrotate {

AnchorGrid::AnchorGrid(std::span<const double> ratios, std::span<const double> scales,
                       std::int64_t stride, std::int64_t columns)
    : stride_(static_cast<float>(stride)), columns_(columns) {
  for (const double ratio : ratios) {
    const float by_h = std::sqrt(static_cast<float>(ratio));
    const float by_w = 1 / by_h;
    for (const double scale : scales) {
      const float w = stride_ * by_w * static_cast<float>(scale);
      const float h = stride_ * by_h * static_cast<float>(scale);
      base_.push_back({-0.5F * w, -0.5F * h, 0.5F * w, 0.5F * h});
    }
  }
}

Bounds AnchorGrid::operator[](std::int64_t index) const {
  const std::int64_t cell = index / per_cell();
  const auto x = static_cast<float>(cell % columns_) * stride_;
  const auto y = static_cast<float>(cell / columns_) * stride_;
  const Bounds& base = base_[static_cast<std::size_t>(index % per_cell())];
  return {base.x1 + x, base.y1 + y, base.x2 + x, base.y2 + y};
}

AnchorGrid retina_anchors(std::int64_t stride, std::int64_t columns) {
  constexpr std::array<double, 3> kRatios = {1.0, 0.5, 2.0};
  const std::array<double, 3> scales = {4, 4 * std::pow(2.0, 1.0 / 3), 4 * std::pow(2.0, 2.0 / 3)};
  return {kRatios, scales, stride, columns};
}

AnchorGrid proposal_anchors(std::int64_t stride, std::int64_t columns) {
  constexpr std::array<double, 3> kRatios = {0.5, 1.0, 2.0};
  constexpr std::array<double, 1> kScales = {8};
  return {kRatios, kScales, stride, columns};
}

}  // namespace grasppanda::models::mmrotate
