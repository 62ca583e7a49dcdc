// What every detector of oriented boxes offers to the run loop: pictures in, boxes out.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/config/config.h"
#include "lib/geometry/rotated_box.h"
#include "lib/io/checkpoint.h"
#include "models/model.h"

namespace grasppanda::models {

struct Detection {
  geometry::RotatedBox box;  // le90, pixels of the picture: x right, y down, (0, 0) the upper left
                             // corner of the first pixel; not clipped to the picture
  float score = 0;
  std::int64_t class_index = 0;  // from 0
};

/// Pixels of the picture: x, y, width, height.
using Window = std::array<std::int64_t, 4>;

/// Called before each window of a picture that is cut, or each few that go together.
using TileProgress = std::function<void(std::size_t done, std::size_t tiles)>;

/// What one window of a picture that was cut counted.
struct TileRecord {
  Window window;
  std::vector<std::pair<std::string, std::int64_t>> counts;
};

struct DetectionOutput {
  std::vector<Detection> detections;  // best first
  Accounting accounting;              // counts: anchors, above_threshold, after_nms, ...
  /// How the picture was brought to the network: "input" [width, height], "letterbox" [...], ...
  std::vector<std::pair<std::string, std::vector<std::int64_t>>> figures;
  std::vector<TileRecord> tiles;  // of a detector that cuts pictures itself
};

/// What a detector says about itself once it is loaded.
struct DetectorInfo {
  std::vector<std::string> classes;  // names by index; numbers where the checkpoint names none
  /// For the record: family, scale, branch, input size, licence of the weights, ...
  std::vector<std::pair<std::string, std::string>> facts;
  std::vector<std::string> warnings;  // where settings and weights differ
  bool fills_tiles = false;           // what `detect.tiling.grid: auto` means
};

class Detector {
 public:
  virtual ~Detector() = default;

  /// pictures: (H, W, 3) uint8, upright, always RGB (a network that wants another order turns them
  /// itself), on the CPU, of one size, H and W at least 1. One output for each. `observe` receives
  /// the stages of a single picture; `progress` hears of windows where the detector cuts pictures
  /// itself. Throws InputError for a picture that cannot be used.
  virtual std::vector<DetectionOutput> detect(std::span<const at::Tensor> pictures,
                                              const StageObserver& observe = {},
                                              const TileProgress& progress = {}) = 0;

  /// How many times smaller (or larger) a picture of this size is when the network sees it.
  virtual double scale(std::int64_t width, std::int64_t height) const = 0;

  virtual const DetectorInfo& info() const = 0;
};

}  // namespace grasppanda::models
