#include "models/oriented_det/priors.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

namespace grasppanda::models::oriented_det {

AnchorGrid::AnchorGrid(std::span<const double> sizes, std::int64_t stride, std::int64_t columns)
    : stride_(static_cast<float>(stride)), columns_(columns) {
  constexpr std::array<double, 3> kRatios = {0.5, 1.0, 2.0};
  for (const double size : sizes) {
    for (const double ratio : kRatios) {
      base_.push_back({static_cast<float>(size * std::sqrt(ratio)),
                       static_cast<float>(size / std::sqrt(ratio))});
    }
  }
}

Box AnchorGrid::operator[](std::int64_t index) const {
  const std::int64_t cell = index / per_cell();
  const auto& [w, h] = base_[static_cast<std::size_t>(index % per_cell())];
  return {(static_cast<float>(cell % columns_) + 0.5F) * stride_,
          (static_cast<float>(cell / columns_) + 0.5F) * stride_, w, h, 0};
}

AnchorGrid retina_anchors(std::int64_t stride, std::int64_t columns) {
  const double base = 4 * static_cast<double>(stride);
  const std::array<double, 3> sizes = {base, base * std::pow(2.0, 1.0 / 3),
                                       base * std::pow(2.0, 2.0 / 3)};
  return {sizes, stride, columns};
}

AnchorGrid proposal_anchors(std::int64_t stride, std::int64_t columns) {
  const std::array<double, 1> sizes = {8 * static_cast<double>(stride)};
  return {sizes, stride, columns};
}

std::int64_t live_stride(const at::Tensor& input, const at::Tensor& level, std::int64_t usual) {
  std::array<double, 2> stride{};
  for (std::int64_t axis = 0; axis < 2; ++axis) {
    stride[static_cast<std::size_t>(axis)] =
        static_cast<double>(input.size(2 + axis)) / static_cast<double>(level.size(2 + axis));
  }
  const double whole = std::nearbyint(stride[0]);
  const double tolerance = std::max(0.01, 1e-3 * whole);
  const bool agrees =
      std::abs(stride[0] - whole) <= tolerance && std::abs(stride[1] - whole) <= tolerance;
  return agrees && whole >= 1 ? static_cast<std::int64_t>(whole) : usual;
}

}  // namespace grasppanda::models::oriented_det
