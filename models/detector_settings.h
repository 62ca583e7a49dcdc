// The part of the configuration that all detectors share: `detect`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lib/config/config.h"

namespace grasppanda::models {

enum class SuppressionMethod : std::uint8_t { exact, sampled, probiou };

struct DetectSettings {
  float score_threshold = 0.05F;
  float display_threshold = 0;
  std::vector<float> class_display_thresholds;  // empty: display_threshold for all
  double nms_iou = 0.1;
  SuppressionMethod nms_method = SuppressionMethod::exact;
  bool class_agnostic = false;
  bool multi_label = false;
  std::optional<std::int64_t> max_detections;  // none: the model's own

  bool has_display_floor() const {
    return display_threshold > 0 || !class_display_thresholds.empty();
  }
  bool is_shown(float score, std::int64_t class_index) const {
    return score >= (class_display_thresholds.empty()
                         ? display_threshold
                         : class_display_thresholds[static_cast<std::size_t>(class_index)]);
  }
};
DetectSettings detect_settings(const config::Config& config);

/// Throws CheckpointError unless there are floors for `classes` classes, or none.
void require_floors(const DetectSettings& settings, std::int64_t classes);

/// The class names by `detect.classes`, checked against those of the checkpoint (empty: it names
/// none) and the number of classes that the network has. A named list or set that differs from the
/// file's is a CheckpointError that names the first difference; with neither, numbers.
std::vector<std::string> class_names(const config::Config& config,
                                     const std::vector<std::string>& of_checkpoint,
                                     std::int64_t count);

}  // namespace grasppanda::models
