// The settings of a run; the checkpoints hold nothing beside their tensors that inference needs.
#include <algorithm>
#include <string_view>

#include "lib/io/checkpoint_facts.h"
#include "lib/ops/rotated/sampling_settings.h"
#include "models/checkpoint_error.h"
#include "models/oriented_det/detection.h"

namespace grasppanda::models::oriented_det {

namespace {

ResizeMode resize_mode(const config::Config& config) {
  const std::string word = config.text("model.resize_mode");
  return word == "pad"          ? ResizeMode::pad
         : word == "keep_ratio" ? ResizeMode::keep_ratio
         : word == "crop"       ? ResizeMode::crop
                                : ResizeMode::fixed;
}

std::array<float, 3> three(const std::vector<double>& numbers) {
  return {static_cast<float>(numbers[0]), static_cast<float>(numbers[1]),
          static_cast<float>(numbers[2])};
}

}  // namespace

Settings read_settings(const Blueprint& blueprint, const config::Config& config,
                       const io::Checkpoint& checkpoint) {
  Settings settings;
  settings.detect = detect_settings(config);
  if (settings.detect.nms_method == SuppressionMethod::probiou) {
    throw CheckpointError(
        "detect.nms.method: probiou is YOLO-OBB's; this detector wants exact or sampled");
  }
  // The package's variable chooses the method over the config, but not over the command line.
  if (const auto method = ops::method_from_environment();
      method && config.origin("detect.nms.method") != "--set") {
    settings.detect.nms_method =
        *method == ops::IouMethod::sampled ? SuppressionMethod::sampled : SuppressionMethod::exact;
  }
  settings.mode = resize_mode(config);
  if (!config.is("input.size", "auto")) settings.side = config.integer("input.size");
  settings.normalization = {three(config.numbers("model.mean")),
                            three(config.numbers("model.std"))};
  settings.classes = class_names(config, io::checkpoint_class_names(checkpoint),
                                 blueprint.classes(checkpoint.tensors));
  settings.overlap = config.integer("detect.tiling.overlap");
  settings.merge_iou = config.number("detect.tiling.merge_iou");
  if (blueprint.extra != ExtraLevels::pooled) return settings;
  settings.proposals_before = config.integer("model.rpn.pre_nms");
  settings.proposals_after = config.integer("model.rpn.post_nms");
  settings.proposal_iou = config.is("model.rpn.nms_iou", "auto")
                              ? blueprint.proposal_iou
                              : config.number("model.rpn.nms_iou");
  settings.top_class_only = config.boolean("model.top_class_only");
  return settings;
}

}  // namespace grasppanda::models::oriented_det
