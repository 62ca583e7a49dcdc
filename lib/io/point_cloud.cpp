#include "lib/io/point_cloud.h"

#include <algorithm>
#include <cmath>

namespace grasppanda::io {

std::vector<std::uint8_t> colours_or_none(std::span<const double> columns) {
  if (columns.empty()) return {};
  const bool in_bytes = std::all_of(columns.begin(), columns.end(), [](double v) {
    return v >= 0 && v <= 255 && v == std::floor(v);
  });
  const auto [low, high] = std::minmax_element(columns.begin(), columns.end());
  const bool fractions =
      std::all_of(columns.begin(), columns.end(), [](double v) { return v >= 0 && v <= 1; });
  if ((!in_bytes && !fractions) || (*low == 0 && *high == 0)) return {};
  const double scale = fractions ? 255 : 1;
  std::vector<std::uint8_t> rgb(columns.size());
  std::transform(columns.begin(), columns.end(), rgb.begin(),
                 [&](double v) { return static_cast<std::uint8_t>(std::lround(v * scale)); });
  return rgb;
}

PointCloud cloud_from_rows(std::span<const double> rows, std::size_t width) {
  PointCloud cloud;
  const std::size_t n = rows.size() / width;
  cloud.xyz.reserve(3 * n);
  for (std::size_t i = 0; i < n; ++i) {
    cloud.xyz.insert(cloud.xyz.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * width),
                     rows.begin() + static_cast<std::ptrdiff_t>(i * width + 3));
  }
  if (width == 6) {
    std::vector<double> columns;
    columns.reserve(3 * n);
    for (std::size_t i = 0; i < n; ++i) {
      columns.insert(columns.end(), rows.begin() + static_cast<std::ptrdiff_t>(i * width + 3),
                     rows.begin() + static_cast<std::ptrdiff_t>(i * width + 6));
    }
    cloud.rgb = colours_or_none(columns);
  }
  return cloud;
}

}  // namespace grasppanda::io
