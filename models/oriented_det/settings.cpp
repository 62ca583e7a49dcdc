// The settings of a run; the checkpoints hold nothing beside their tensors that inference needs.
#include <algorithm>
#include <string_view>
#include <utility>

#include "lib/config/class_sets.h"
#include "lib/io/checkpoint_facts.h"
#include "lib/ops/rotated/sampling_settings.h"
#include "models/checkpoint_error.h"
#include "models/oriented_det/detection.h"

namespace grasppanda::models::oriented_det {

namespace {

constexpr std::size_t kWindowsOnGpu = 8;
constexpr std::size_t kMostWindows = 64;  // together: a gigabyte of maps for every eight

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

/// The final suppression. --set wins over everything, `final_nms_use_cpu` over the package's
/// variable, the variable over the rest of the configuration.
SuppressionMethod final_method(const Blueprint& blueprint, const config::Config& config,
                               SuppressionMethod configured, const at::Device& device) {
  if (config.origin("detect.nms.method") == "--set") return configured;
  const bool told = !config.is("model.final_nms_use_cpu", "auto");
  const bool use_cpu = told && config.boolean("model.final_nms_use_cpu");
  if (told && !use_cpu) {
    configured = blueprint.exact_on_cpu && device.is_cpu() ? SuppressionMethod::exact
                                                           : SuppressionMethod::sampled;
  }
  const ops::IouMethod method = ops::suppression_method(
      configured == SuppressionMethod::sampled ? ops::IouMethod::sampled : ops::IouMethod::exact,
      use_cpu);
  return method == ops::IouMethod::sampled ? SuppressionMethod::sampled : SuppressionMethod::exact;
}

Canvas canvas(const config::Config& config) {
  if (!config.is("model.canvas", "auto")) {
    const std::vector<double> sides = config.numbers("model.canvas");
    return {static_cast<std::int64_t>(sides[1]), static_cast<std::int64_t>(sides[0])};
  }
  if (config.is("input.size", "auto")) return {1024, 1024};
  return {config.integer("input.size"), config.integer("input.size")};
}

std::array<std::int64_t, 5> strides(const config::Config& config, ExtraLevels extra) {
  std::array<std::int64_t, 5> result{};
  if (config.is("model.strides", "auto")) {
    std::int64_t stride = extra == ExtraLevels::pooled ? 4 : 8;
    for (std::int64_t& of_level : result) of_level = std::exchange(stride, 2 * stride);
  } else {
    std::ranges::transform(config.numbers("model.strides"), result.begin(),
                           [](double stride) { return static_cast<std::int64_t>(stride); });
  }
  return result;
}

/// The tensors win where the settings speak of another number of classes: those of an old file may
/// count the background.
void take_classes(const config::Config& config, const io::Checkpoint& checkpoint,
                  std::int64_t count, Settings& settings) {
  const std::string wins =
      ", the checkpoint has " + std::to_string(count) + ", which is what counts";
  if (!config.is("model.num_classes", "auto")) {
    const std::int64_t told = config.integer("model.num_classes");
    if (told != count && told != count + 1) {
      settings.warnings.push_back("model.num_classes is " + std::to_string(told) + wins);
    }
  }
  const bool listed = !config.is("detect.classes", "auto");
  if (listed && config.origin("detect.classes") != "--set") {
    const std::size_t names = config.is_word("detect.classes")
                                  ? config::class_set(config.text("detect.classes")).size()
                                  : config.texts("detect.classes").size();
    if (names != static_cast<std::size_t>(count)) {
      settings.warnings.push_back("detect.classes has " + std::to_string(names) + " names" + wins +
                                  "; its classes are shown as numbers");
      for (std::int64_t i = 0; i < count; ++i) settings.classes.push_back(std::to_string(i));
      return;
    }
  }
  settings.classes = class_names(config, io::checkpoint_class_names(checkpoint), count);
}

}  // namespace

Settings read_settings(const Blueprint& blueprint, const config::Config& config,
                       const io::Checkpoint& checkpoint, const at::Device& device) {
  Settings settings;
  settings.detect = detect_settings(config);
  if (settings.detect.nms_method == SuppressionMethod::probiou) {
    throw CheckpointError(
        "detect.nms.method: probiou is YOLO-OBB's; this detector wants exact or sampled");
  }
  settings.detect.nms_method = final_method(blueprint, config, settings.detect.nms_method, device);
  settings.mode = resize_mode(config);
  settings.canvas = canvas(config);
  settings.pad_divisor = config.integer("model.pad_divisor");
  settings.strides = strides(config, blueprint.extra);
  settings.normalization = {three(config.numbers("model.mean")),
                            three(config.numbers("model.std"))};
  const std::int64_t classes = blueprint.classes(checkpoint.tensors);
  take_classes(config, checkpoint, classes, settings);
  require_floors(settings.detect, classes);
  settings.overlap = config.number("detect.tiling.overlap");
  settings.merge_iou = config.number("detect.tiling.merge_iou");
  settings.ignored_margin = config.number("detect.tiling.ignore_margin");
  // A processor is full with one window; a GPU waits for more.
  settings.window_batch =
      std::min(ops::window_batch_from_environment().value_or(device.is_cpu() ? 1 : kWindowsOnGpu),
               kMostWindows);
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
