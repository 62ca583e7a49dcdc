// Detection on pictures that are larger than a network sees: overlapping windows, their detections
// joined by suppression. A picture is read from top to bottom once; only one band of windows is in
// memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "lib/config/config.h"
#include "models/detector.h"

namespace grasppanda::models {

struct TilingSettings {
  std::int64_t window = 1024, overlap = 200;  // pixels; overlap < window
  std::int64_t min_side = 1500;               // longer sides than this are cut; 0: none
  double merge_iou = 0.1;
  bool class_agnostic = false;
  std::size_t batch = 1;  // tiles that go through the network together

  bool applies(std::int64_t width, std::int64_t height) const {
    return min_side > 0 && std::max(width, height) > min_side;
  }
};
/// Throws std::invalid_argument, in words for users, for an overlap that leaves no step.
TilingSettings tiling_settings(const config::Config& config);

/// x, y, width, height, pixels.
using Window = std::array<std::int64_t, 4>;

/// Row by row, a step of window - overlap apart; the last of a row or column is moved back to the
/// border. Nothing outside of the picture: a side shorter than the window is one window.
std::vector<Window> tile_windows(std::int64_t width, std::int64_t height,
                                 const TilingSettings& settings);

struct TileRecord {
  Window window;
  std::vector<std::pair<std::string, std::int64_t>> counts;
};

struct TiledOutput {
  DetectionOutput joined;  // pixels of the whole picture
  std::vector<TileRecord> tiles;
};

/// Fills `to` with the next rows of the picture, (rows, width, 3) 8-bit RGB.
using ReadRows = std::function<void(std::int64_t rows, std::uint8_t* to)>;
/// Called before each tile.
using TileProgress = std::function<void(std::size_t done, std::size_t tiles)>;

/// Every detection of a tile is in the result or overlapped a better one of its class (of any
/// class, if class_agnostic) by more than merge_iou. Accounting: counts of the tiles added up, then
/// "tile_detections" and "after_merge"; seconds added up, with "read" apart.
TiledOutput detect_tiled(Detector& detector, std::int64_t width, std::int64_t height,
                         const ReadRows& read, const TilingSettings& settings,
                         const TileProgress& progress = {}, const StageObserver& observe = {});

}  // namespace grasppanda::models
