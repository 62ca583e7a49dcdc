// Where the windows of a large picture lie.
#include <cmath>
#include <set>
#include <stdexcept>
#include <string>

#include "models/tiled_detection.h"

namespace grasppanda::models {

namespace {

constexpr double kLeastShareInside = 0.6;
constexpr std::int64_t kLargestTile = 1 << 15;  // pixels of a side; 3 GB

/// Windows of one ratio.
struct TileShape {
  std::int64_t side, step;
};
std::vector<TileShape> shapes(const TilingSettings& settings) {
  std::vector<TileShape> result;
  const auto divided = [](std::int64_t length, double ratio) {
    return static_cast<std::int64_t>(static_cast<double>(length) / ratio);
  };
  for (const double ratio : settings.ratios) {
    result.push_back(
        {divided(settings.window, ratio), divided(settings.window - settings.overlap, ratio)});
  }
  return result;
}

/// Origins along one side.
std::vector<std::int64_t> origins(std::int64_t length, const TileShape& shape) {
  std::vector<std::int64_t> result;
  for (std::int64_t at = 0;; at += shape.step) {
    if (at + shape.side >= length) {
      result.push_back(std::max<std::int64_t>(length - shape.side, 0));
      return result;
    }
    result.push_back(at);
  }
}

std::vector<Window> inside_windows(std::int64_t width, std::int64_t height,
                                   const TilingSettings& settings) {
  std::vector<Window> windows;
  for (const TileShape& shape : shapes(settings)) {
    for (const std::int64_t y : origins(height, shape)) {
      for (const std::int64_t x : origins(width, shape)) {
        windows.push_back({x, y, std::min(shape.side, width), std::min(shape.side, height)});
      }
    }
  }
  return windows;
}

std::vector<Window> filled_windows(std::int64_t width, std::int64_t height,
                                   const TilingSettings& settings) {
  std::vector<Window> windows;
  for (const TileShape& shape : shapes(settings)) {
    for (const std::int64_t x : origins(width, shape)) {
      for (const std::int64_t y : origins(height, shape)) {
        windows.push_back({x, y, shape.side, shape.side});
      }
    }
  }
  const auto share_inside = [&](const Window& w) {
    const double inside = static_cast<double>(std::min(w[0] + w[2], width) - w[0]) *
                          static_cast<double>(std::min(w[1] + w[3], height) - w[1]);
    return inside / (static_cast<double>(w[2]) * static_cast<double>(w[3]));
  };
  double most = 0;
  for (const Window& window : windows) most = std::max(most, share_inside(window));
  // Where none lies inside far enough, those that do so best are kept.
  const double least = std::min(most, kLeastShareInside);
  std::erase_if(windows, [&](const Window& window) { return share_inside(window) < least; });
  return windows;
}

/// In pixels, also where it is given as a share.
std::int64_t overlap_of(const config::Config& config) {
  const double told = config.number("detect.tiling.overlap");
  if (told < 1) {
    const auto window = static_cast<double>(config.integer("detect.tiling.window"));
    return static_cast<std::int64_t>(window -
                                     std::max(std::nearbyint(window - told * window), 1.0));
  }
  if (told != std::floor(told)) {
    throw std::invalid_argument(
        "detect.tiling.overlap wants whole pixels, or a share of the window below 1, got " +
        std::to_string(told));
  }
  return static_cast<std::int64_t>(told);
}

}  // namespace

TilingSettings tiling_settings(const config::Config& config) {
  TilingSettings settings{.window = config.integer("detect.tiling.window"),
                          .overlap = overlap_of(config),
                          .min_side = config.integer("detect.tiling.min_side"),
                          .merge_iou = config.number("detect.tiling.merge_iou"),
                          .class_agnostic = config.boolean("detect.nms.class_agnostic"),
                          .ratios = config.numbers("detect.tiling.ratios"),
                          .filled = config.is("detect.tiling.grid", "filled"),
                          .by_model = config.is("detect.tiling.grid", "auto"),
                          .ignore_margin = config.number("detect.tiling.ignore_margin")};
  for (const TileShape& shape : shapes(settings)) {
    if (shape.side > kLargestTile) {
      throw std::invalid_argument("detect.tiling: tiles of " + std::to_string(shape.side) +
                                  " pixels are too large; at most " + std::to_string(kLargestTile));
    }
    if (settings.overlap < settings.window && shape.step > 0) continue;
    throw std::invalid_argument("detect.tiling: an overlap of " + std::to_string(settings.overlap) +
                                " pixels leaves windows of " + std::to_string(settings.window) +
                                " no step; make it smaller than the window");
  }
  return settings;
}

std::vector<Window> tile_windows(std::int64_t width, std::int64_t height,
                                 const TilingSettings& settings) {
  return settings.filled ? filled_windows(width, height, settings)
                         : inside_windows(width, height, settings);
}

}  // namespace grasppanda::models
