// From scores and boxes to detections: oriented-det's suppression, class by class.
#pragma once

#include <cstdint>
#include <vector>

#include "models/detector_settings.h"
#include "models/oriented_det/box_coders.h"

namespace grasppanda::models::oriented_det {

struct Candidate {
  Box box;
  float score;
  std::int32_t label;  // from 0; the package's own files count from 1
};

struct SuppressionLimits {
  std::int64_t most_before = 0;  // of a class, best first; 0: all
  std::int64_t most = 3000;      // of a class after suppression, and of the picture
};

/// Within the classes, or over all with `class_agnostic`; best first. Boxes without extent or with
/// a component that is not finite are dropped.
std::vector<Candidate> suppress(const std::vector<Candidate>& candidates,
                                const DetectSettings& settings, const SuppressionLimits& limits);

}  // namespace grasppanda::models::oriented_det
