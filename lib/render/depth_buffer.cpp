#include "lib/render/depth_buffer.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace grasppanda::render {
namespace {

struct Projected {
  std::int32_t x, y;
  float z;
  std::int32_t point;
};

std::vector<Projected> project_points(const View& view, std::span<const double> xyz) {
  const std::size_t points =
      std::min<std::size_t>(xyz.size() / 3, std::numeric_limits<std::int32_t>::max());
  std::vector<Projected> out;
  out.reserve(points);
  for (std::size_t i = 0; i < points; ++i) {
    const geometry::Vec3 p = view.to_view({xyz[3 * i], xyz[3 * i + 1], xyz[3 * i + 2]});
    if (view.perspective && !(p[2] > kNear)) continue;
    const auto [u, v] = view.project(p);
    // Written so that NaN fails, too; only then is the cast defined.
    if (!(u > -0.5 && v > -0.5 && u < static_cast<double>(view.width) - 0.5 &&
          v < static_cast<double>(view.height) - 0.5 && std::isfinite(p[2])))
      continue;
    out.push_back({static_cast<std::int32_t>(std::lrint(u)),
                   static_cast<std::int32_t>(std::lrint(v)), static_cast<float>(p[2]),
                   static_cast<std::int32_t>(i)});
  }
  return out;
}

// Mean distance of neighbouring points in pixels, counted over the tiles that hold any.
double spacing(const View& view, const std::vector<Projected>& points) {
  constexpr std::int64_t kTile = 16;
  const std::int64_t columns = (view.width + kTile - 1) / kTile;
  const std::int64_t rows = (view.height + kTile - 1) / kTile;
  std::vector<bool> occupied(static_cast<std::size_t>(columns * rows));
  std::size_t tiles = 0;
  for (const Projected& p : points) {
    auto tile = occupied[static_cast<std::size_t>(p.y / kTile * columns + p.x / kTile)];
    tiles += !tile;
    tile = true;
  }
  return points.empty() ? 0.0
                        : std::sqrt(static_cast<double>(tiles) * kTile * kTile /
                                    static_cast<double>(points.size()));
}

}  // namespace

DepthBuffer draw_depth(const View& view, std::span<const double> xyz) {
  DepthBuffer buffer;
  buffer.width = std::max<std::int64_t>(view.width, 0);
  buffer.height = std::max<std::int64_t>(view.height, 0);
  const auto pixels = static_cast<std::size_t>(buffer.width * buffer.height);
  buffer.depth.assign(pixels, DepthBuffer::kNothing);
  buffer.point.assign(pixels, -1);
  if (pixels == 0) return buffer;

  const std::vector<Projected> points = project_points(view, xyz);
  buffer.radius = std::clamp(static_cast<int>(1.1 * spacing(view, points) - 0.25), 0, 12);
  const std::int64_t r = buffer.radius;
  std::vector<std::int64_t> half_width;  // of the disc, row by row
  for (std::int64_t dy = -r; dy <= r; ++dy)
    half_width.push_back(std::lrint(std::sqrt(static_cast<double>(r * r - dy * dy))));

  for (const Projected& p : points)
    for (std::int64_t y = std::max<std::int64_t>(p.y - r, 0);
         y <= std::min<std::int64_t>(p.y + r, buffer.height - 1); ++y) {
      const std::int64_t half = half_width[static_cast<std::size_t>(y - p.y + r)];
      for (std::int64_t x = std::max<std::int64_t>(p.x - half, 0);
           x <= std::min<std::int64_t>(p.x + half, buffer.width - 1); ++x) {
        const auto at = static_cast<std::size_t>(y * buffer.width + x);
        if (p.z < buffer.depth[at]) {
          buffer.depth[at] = p.z;
          buffer.point[at] = p.point;
        }
      }
    }
  return buffer;
}

namespace {

/// What the neighbourhood of a pixel says of the surface there; lengths in pixel sizes.
class Surface {
 public:
  Surface(const View& view, const DepthBuffer& buffer)
      : view_(view), buffer_(buffer), reach_(std::max<std::int64_t>(3, buffer.radius)) {}

  float light(std::int64_t x, std::int64_t y) const {
    const float z = buffer_.at(x, y);
    const auto scale =
        static_cast<float>(1.0 / (view_.pixel_size(z) * static_cast<double>(reach_)));
    // Opposite neighbours are taken together: a slope, however steep, is no fold.
    constexpr std::array<std::array<std::int64_t, 2>, 4> kAxes = {
        {{1, 0}, {0, 1}, {1, 1}, {-1, 1}}};
    std::array<float, 2> slope{};
    float fold = 0;
    for (std::size_t i = 0; i < kAxes.size(); ++i) {
      const std::int64_t dx = reach_ * kAxes[i][0], dy = reach_ * kAxes[i][1];
      const float before = rise(x - dx, y - dy, z) * scale;
      const float after = rise(x + dx, y + dy, z) * scale;
      fold += std::clamp(-0.5f * (before + after) - 0.4f, 0.0f, 2.0f);
      if (i < 2) slope[i] = std::clamp(0.5f * (after - before), -3.0f, 3.0f);
    }
    // Light comes from the upper left, behind the eye: the normal is (slope x, slope y, -1).
    const float facing = (1.0f - 0.35f * slope[0] - 0.45f * slope[1]) /
                         std::sqrt(1.0f + slope[0] * slope[0] + slope[1] * slope[1]);
    return std::clamp(0.55f + 0.45f * facing, 0.25f, 1.0f) / (1.0f + 0.3f * fold);
  }

 private:
  // How much farther a neighbour lies; nothing seen there, or outside: as far as here.
  float rise(std::int64_t x, std::int64_t y, float z) const {
    if (x < 0 || y < 0 || x >= buffer_.width || y >= buffer_.height) return 0;
    const float there = buffer_.at(x, y);
    return there == DepthBuffer::kNothing ? 0 : there - z;
  }

  const View& view_;
  const DepthBuffer& buffer_;
  std::int64_t reach_;
};

}  // namespace

void shade(Canvas& canvas, const View& view, const DepthBuffer& buffer,
           std::span<const std::uint8_t> rgb) {
  const Surface surface(view, buffer);
  for (std::int64_t y = 0; y < buffer.height; ++y)
    for (std::int64_t x = 0; x < buffer.width; ++x) {
      const std::int32_t point = buffer.point[static_cast<std::size_t>(y * buffer.width + x)];
      if (point < 0) continue;
      const float light = surface.light(x, y);
      std::uint8_t* pixel = canvas.pixel(x, y);
      for (std::size_t c = 0; c < 3; ++c)
        pixel[c] = static_cast<std::uint8_t>(
            static_cast<float>(rgb[3 * static_cast<std::size_t>(point) + c]) * light + 0.5f);
    }
}

}  // namespace grasppanda::render
