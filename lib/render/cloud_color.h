// Colours of a cloud that is drawn without a colour image.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lib/geometry/camera.h"
#include "lib/render/canvas.h"

namespace grasppanda::render {

/// A dark, quiet ground for clouds and grippers.
void paint_background(Canvas& canvas);

/// 3 per point: `rgb` itself when it has as many points as `xyz`; else by height along `up` (unit
/// length), from slate blue to sand, muted so that the scores' colours stand out. The outer 1 % of
/// heights share the end colours; a cloud without height is in the middle.
std::vector<std::uint8_t> cloud_colors(std::span<const double> xyz,
                                       std::span<const std::uint8_t> rgb, const geometry::Vec3& up);

/// The values at two fractions (0..1) of the sorted finite values; {0, 0} when there are none.
std::array<double, 2> quantiles(std::vector<double> values, double low, double high);

}  // namespace grasppanda::render
