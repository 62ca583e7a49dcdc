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
  std::vector<double> ratios = {1};  // windows of window / ratio, steps of step / ratio
  /// MMRotate's rule for huge images, where set: windows are whole, black beyond the picture; one
  /// that lies inside by less than 0.6 of its area is left out unless all do.
  bool filled = false;
  bool by_model = true;      // `filled` is what the model's project does
  double ignore_margin = 0;  // pixels along sides of a window that are inside of the picture
  std::size_t batch = 1;     // tiles that go through the network together

  bool applies(std::int64_t width, std::int64_t height) const {
    return min_side > 0 && std::max(width, height) > min_side;
  }
};
/// Throws std::invalid_argument, in words for users, for an overlap that leaves no step.
TilingSettings tiling_settings(const config::Config& config);

/// For each ratio row by row, a step apart; the last of a row or column is moved back to the
/// border. Nothing outside of the picture: a side shorter than the window is one window. `filled`:
/// column by column, and whole.
std::vector<Window> tile_windows(std::int64_t width, std::int64_t height,
                                 const TilingSettings& settings);

struct TiledOutput {
  DetectionOutput joined;  // pixels of the whole picture
  std::vector<TileRecord> tiles;
};

/// Fills `to` with the next rows of the picture, (rows, width, 3) 8-bit RGB.
using ReadRows = std::function<void(std::int64_t rows, std::uint8_t* to)>;

/// Every detection of a tile is in the result or overlapped a better one of its class (of any
/// class, if class_agnostic) by more than merge_iou; `filled`: by that or more, as MMRotate does.
/// Accounting: counts of the tiles added up, then "tile_detections", with an ignored margin
/// "outside_margin", and "after_merge"; seconds added up, with "read" apart.
TiledOutput detect_tiled(Detector& detector, std::int64_t width, std::int64_t height,
                         const ReadRows& read, const TilingSettings& settings,
                         const TileProgress& progress = {}, const StageObserver& observe = {});

/// The suppression of detect_tiled alone: detections of all windows in order, in pixels of the
/// picture; best first.
std::vector<Detection> join_tiles(std::vector<Detection> all, const TilingSettings& settings);

}  // namespace grasppanda::models
