#include "lib/datasets/dota_tiles.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <stdexcept>

#include "lib/datasets/decimal_text.h"
#include "lib/io/format_error.h"

namespace grasppanda::datasets {
namespace {

using geometry::Quad;
using geometry::Vec2;
using Polygon = std::vector<Vec2>;

constexpr double kKeepsDifficult = 0.7;  // share of the area
constexpr int kCutOff = 2;               // difficult of an object that is mostly outside

std::vector<std::int64_t> origins_along(std::int64_t length, const TileGrid& grid) {
  std::vector<std::int64_t> origins;
  for (std::int64_t at = 0;; at += grid.size - grid.gap) {
    const bool last = at + grid.size >= length;
    origins.push_back(last ? std::max<std::int64_t>(length - grid.size, 0) : at);
    if (last) return origins;
  }
}

// The part with sign * (p[axis] - limit) >= 0.
Polygon cut(const Polygon& polygon, std::size_t axis, double limit, double sign) {
  Polygon kept;
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Vec2 &last = polygon[(i + polygon.size() - 1) % polygon.size()], &here = polygon[i];
    const double last_in = sign * (last[axis] - limit), here_in = sign * (here[axis] - limit);
    if ((last_in < 0 && here_in > 0) || (last_in > 0 && here_in < 0)) {
      const double t = last_in / (last_in - here_in);
      Vec2 crossing = {last[0] + t * (here[0] - last[0]), last[1] + t * (here[1] - last[1])};
      crossing[axis] = limit;
      kept.push_back(crossing);
    }
    if (here_in >= 0) kept.push_back(here);
  }
  return kept;
}

struct Window {
  double x1, y1, x2, y2;
  bool contains(const Quad& quad) const {
    return std::ranges::all_of(
        quad, [&](const Vec2& p) { return p[0] >= x1 && p[0] <= x2 && p[1] >= y1 && p[1] <= y2; });
  }
};

Polygon cut_to(const Quad& quad, const Window& window) {
  Polygon polygon(quad.begin(), quad.end());
  polygon = cut(polygon, 0, window.x1, 1);
  if (!polygon.empty()) polygon = cut(polygon, 0, window.x2, -1);
  if (!polygon.empty()) polygon = cut(polygon, 1, window.y1, 1);
  if (!polygon.empty()) polygon = cut(polygon, 1, window.y2, -1);
  polygon.erase(std::unique(polygon.begin(), polygon.end()), polygon.end());
  while (polygon.size() > 1 && polygon.front() == polygon.back()) polygon.pop_back();
  return polygon;
}

// Five corners to four: the ends of the shortest side become the point between them.
Polygon without_shortest_side(const Polygon& five) {
  std::size_t shortest = 0;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < five.size(); ++i) {
    const Vec2 &a = five[i], &b = five[(i + 1) % five.size()];
    const double length = std::hypot(a[0] - b[0], a[1] - b[1]);
    if (length < least) {
      least = length;
      shortest = i;
    }
  }
  const std::size_t gone = (shortest + 1) % five.size();
  Polygon four;
  for (std::size_t i = 0; i < five.size(); ++i) {
    if (i == gone) continue;
    four.push_back(i != shortest
                       ? five[i]
                       : Vec2{(five[i][0] + five[gone][0]) / 2, (five[i][1] + five[gone][1]) / 2});
  }
  return four;
}

// Begun at the corner that makes all four nearest to those of `original`.
Quad aligned(const Polygon& four, const Quad& original) {
  Quad best{};
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t shift = 0; shift < 4; ++shift) {
    Quad turned;
    double sum = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      turned[i] = four[(i + shift) % 4];
      const double dx = turned[i][0] - original[i][0], dy = turned[i][1] - original[i][1];
      sum += dx * dx + dy * dy;
    }
    if (sum < least) {
      least = sum;
      best = turned;
    }
  }
  return best;
}

std::optional<DotaObject> cut_object(const DotaObject& object, const Window& window,
                                     const TileOrigin& origin, const TileGrid& grid) {
  Polygon polygon = cut_to(object.corners, window);
  if (polygon.size() < 4 || polygon.size() > 5) return {};
  const double area = geometry::signed_area(polygon);
  const double share = std::abs(area / geometry::signed_area(object.corners));
  if (!(share > 0)) return {};
  if (area < 0) std::ranges::reverse(polygon);
  if (polygon.size() == 5) polygon = without_shortest_side(polygon);
  DotaObject result = object;
  result.corners = aligned(polygon, object.corners);
  for (Vec2& corner : result.corners) {
    corner[0] -= static_cast<double>(origin.x);
    corner[1] -= static_cast<double>(origin.y);
    for (double& value : corner) {
      value = std::clamp(std::trunc(value), 1.0, static_cast<double>(grid.size));
    }
  }
  if (!(share > kKeepsDifficult)) result.difficult = kCutOff;
  return result;
}

}  // namespace

std::vector<TileOrigin> tile_origins(std::int64_t width, std::int64_t height,
                                     const TileGrid& grid) {
  if (grid.gap < 0 || grid.gap >= grid.size) {
    throw std::invalid_argument("the gap of tiles must be at least 0 and below their size");
  }
  const std::vector<std::int64_t> across = origins_along(width, grid);
  const std::vector<std::int64_t> down = origins_along(height, grid);
  if (across.size() * down.size() > kMostTiles) {
    throw io::FormatError("a gap of " + std::to_string(grid.gap) + " makes " +
                          std::to_string(across.size()) + " x " + std::to_string(down.size()) +
                          " tiles of " + std::to_string(width) + " x " + std::to_string(height) +
                          " pixels, more than " + std::to_string(kMostTiles) +
                          "; take a smaller gap or larger tiles");
  }
  std::vector<TileOrigin> origins;
  for (const std::int64_t x : across) {
    for (const std::int64_t y : down) origins.push_back({x, y});
  }
  return origins;
}

std::string tile_name(std::string_view image, std::string_view rate, const TileOrigin& origin) {
  std::string name(image);
  name.append("__").append(rate).append("__").append(std::to_string(origin.x));
  return name.append("___").append(std::to_string(origin.y));
}

std::vector<DotaObject> tile_objects(const std::vector<DotaObject>& objects, std::int64_t width,
                                     std::int64_t height, const TileOrigin& origin,
                                     const TileGrid& grid) {
  const Window window = {static_cast<double>(origin.x), static_cast<double>(origin.y),
                         static_cast<double>(std::min(origin.x + grid.size, width - 1)),
                         static_cast<double>(std::min(origin.y + grid.size, height - 1))};
  std::vector<DotaObject> kept;
  for (const DotaObject& object : objects) {
    if (geometry::signed_area(object.corners) == 0) continue;
    if (window.contains(object.corners)) {
      kept.push_back(object);
      for (Vec2& corner : kept.back().corners) {
        corner[0] -= static_cast<double>(origin.x);
        corner[1] -= static_cast<double>(origin.y);
      }
    } else if (auto part = cut_object(object, window, origin, grid)) {
      kept.push_back(std::move(*part));
    }
  }
  return kept;
}

std::vector<DotaObject> scaled_objects(std::vector<DotaObject> objects, double rate) {
  for (DotaObject& object : objects) {
    for (Vec2& corner : object.corners) {
      for (double& value : corner) value = std::trunc(value) * rate;
    }
  }
  return objects;
}

std::string dota_label_text(const std::vector<DotaObject>& objects) {
  std::string text;
  for (const DotaObject& object : objects) {
    for (const Vec2& corner : object.corners) {
      text += decimal_text(corner[0]) + " " + decimal_text(corner[1]) + " ";
    }
    text += object.class_name + " " + std::to_string(object.difficult) + "\n";
  }
  return text;
}

}  // namespace grasppanda::datasets
