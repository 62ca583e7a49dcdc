#include "models/detector_settings.h"

#include <algorithm>

#include "lib/config/class_sets.h"
#include "models/checkpoint_error.h"

namespace grasppanda::models {

namespace {

/// "large vehicle" and "large-vehicle" are one class.
std::string plain_name(std::string name) {
  std::ranges::replace(name, ' ', '-');
  return name;
}

}  // namespace

DetectSettings detect_settings(const config::Config& config) {
  DetectSettings settings;
  settings.score_threshold = static_cast<float>(config.number("detect.score_threshold"));
  settings.display_threshold = static_cast<float>(config.number("detect.display_threshold"));
  if (!config.is("detect.class_display_thresholds", "none")) {
    for (const double floor : config.numbers("detect.class_display_thresholds")) {
      settings.class_display_thresholds.push_back(static_cast<float>(floor));
    }
  }
  settings.nms_iou = config.number("detect.nms.iou");
  const std::string method = config.text("detect.nms.method");
  settings.nms_method = method == "exact"     ? SuppressionMethod::exact
                        : method == "sampled" ? SuppressionMethod::sampled
                                              : SuppressionMethod::probiou;
  settings.class_agnostic = config.boolean("detect.nms.class_agnostic");
  settings.multi_label = config.boolean("detect.nms.multi_label");
  if (!config.is("detect.max_detections", "auto")) {
    settings.max_detections = config.integer("detect.max_detections");
  }
  return settings;
}

void require_floors(const DetectSettings& settings, std::int64_t classes) {
  const std::size_t floors = settings.class_display_thresholds.size();
  if (floors == 0 || floors == static_cast<std::size_t>(classes)) return;
  throw CheckpointError("detect.class_display_thresholds has " + std::to_string(floors) +
                        " numbers, the network has " + std::to_string(classes) + " classes");
}

std::vector<std::string> class_names(const config::Config& config,
                                     const std::vector<std::string>& of_checkpoint,
                                     std::int64_t count) {
  if (count < 1)
    throw CheckpointError("the network of the checkpoint has no class; its last layer is empty");
  const auto wanted = static_cast<std::size_t>(count);
  if (!of_checkpoint.empty() && of_checkpoint.size() != wanted) {
    throw CheckpointError("the checkpoint names " + std::to_string(of_checkpoint.size()) +
                          " classes, its network has " + std::to_string(wanted));
  }
  if (config.is("detect.classes", "auto")) {
    if (!of_checkpoint.empty()) return of_checkpoint;
    std::vector<std::string> numbers;
    for (std::size_t i = 0; i < wanted; ++i) numbers.push_back(std::to_string(i));
    return numbers;
  }
  const std::vector<std::string> given = config.is_word("detect.classes")
                                             ? config::class_set(config.text("detect.classes"))
                                             : config.texts("detect.classes");
  if (given.size() != wanted) {
    throw CheckpointError("detect.classes names " + std::to_string(given.size()) +
                          " classes, the network has " + std::to_string(wanted));
  }
  for (std::size_t i = 0; i < of_checkpoint.size(); ++i) {
    if (plain_name(given[i]) != plain_name(of_checkpoint[i])) {
      throw CheckpointError("class " + std::to_string(i) + " is '" + given[i] +
                            "' in detect.classes and '" + of_checkpoint[i] +
                            "' in the checkpoint; set detect.classes: auto");
    }
  }
  return given;
}

}  // namespace grasppanda::models
