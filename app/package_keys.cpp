#include "app/package_keys.h"

#include <algorithm>
#include <cstddef>
#include <span>
#include <string_view>

#include "lib/config/config_error.h"
#include "lib/config/suggest.h"

namespace grasppanda::app {

namespace {

using nlohmann::json;

constexpr std::string_view kPreprocessing[] = {
    "resize_mode", "target_size", "mean", "std", "normalize_mean", "normalize_std",
    "pad_size_divisor",
    // Of training.
    "enable_flip_horizontal", "enable_flip_vertical", "enable_flip_diagonal",
    "enable_random_rotate", "random_rotate_prob", "random_rotate_angle_range"};
constexpr std::string_view kProduction[] = {"score_threshold",
                                            "per_class_score_threshold",
                                            "final_nms_iou_threshold",
                                            "final_nms_use_cpu",
                                            "inference_pre_nms_score_threshold",
                                            "max_detections_per_image",
                                            "nms_class_agnostic",
                                            "roi_inference_top_class_only",
                                            "rpn_pre_nms_top_n",
                                            "rpn_post_nms_top_n",
                                            "rpn_nms_threshold",
                                            "overlap_pixels",
                                            "ignore_margin_pixels",
                                            "use_first_image_canvas",
                                            "stick_to_model_canvas"};

/// Settings of a network that have one value here; another one would give other boxes.
struct Fixed {
  const char* path;
  const char* models;  // the first letters of those that it concerns: "O", "FR", ...
  const char* value;   // JSON
};
// Of the models: R rotated_retinanet, O oriented_rcnn, F rotated_faster_rcnn, C rotated_fcos.
constexpr Fixed kFixed[] = {{"model.fpn_returned_layers", "RC", "[2, 3, 4]"},
                            {"model.fpn_returned_layers", "OF", "[1, 2, 3, 4]"},
                            {"model.fpn_extra_level", "RC", "true"},
                            {"model.anchor_angles", "R", "[0]"},
                            {"model.anchor_octave_base_scale", "R", "4"},
                            {"model.anchor_scales_per_octave", "R", "3"},
                            {"model.retinanet_stacked_convs", "R", "4"},
                            {"model.anchor_scales", "OF", "[8]"},
                            {"model.anchor_ratios", "ROF", "[0.5, 1, 2]"},
                            {"model.target_means", "ROF", "[0, 0, 0, 0, 0]"},
                            {"model.target_stds", "R", "[1, 1, 1, 1, 1]"},
                            {"model.target_stds", "OF", "[0.1, 0.1, 0.2, 0.2, 0.1]"},
                            {"model.roi_norm_factor", "F", "2"},
                            {"model.roi_edge_swap", "OF", "true"},
                            {"model.roi_proj_xy", "O", "true"},
                            {"model.rpn_min_size", "OF", "0"},
                            {"model.fcos_stacked_convs", "C", "4"},
                            {"model.fcos_norm_on_bbox", "C", "true"},
                            {"model.fcos_centerness_on_reg", "C", "true"},
                            {"model.fcos_scale_angle", "C", "true"},
                            {"model.fcos_nms_pre", "C", "2000"},
                            {"production.use_first_image_canvas", "ROFC", "false"},
                            {"production.stick_to_model_canvas", "ROFC", "true"}};

char letter_of(const std::string& model) {
  return model == "rotated_retinanet"     ? 'R'
         : model == "oriented_rcnn"       ? 'O'
         : model == "rotated_faster_rcnn" ? 'F'
                                          : 'C';
}

/// Of the other sections: what is read, and what of inference is known and not read.
constexpr std::string_view kTop[] = {"model_type", "class_names",   "class_map",  "num_classes",
                                     "model",      "preprocessing", "production", "evaluation",
                                     "dataset",    "training"};
constexpr std::string_view kModel[] = {"fpn_strides",
                                       "score_threshold",
                                       "inference_pre_nms_score_threshold",
                                       "final_nms_iou_threshold",
                                       "final_nms_use_cpu",
                                       "max_detections_per_image",
                                       "nms_class_agnostic",
                                       "roi_inference_top_class_only",
                                       "rpn_pre_nms_top_n",
                                       "rpn_post_nms_top_n",
                                       "rpn_nms_threshold",
                                       "backbone"};
constexpr std::string_view kEvaluation[] = {
    "final_nms_iou_threshold", "val_score_threshold", "per_class_score_threshold",
    "use_exact_rotated_iou",   "iou_threshold",       "test_score_threshold",
    "map_iou_thresholds"};
constexpr std::string_view kDataset[] = {"overlap"};

std::vector<std::string_view> known_of(const std::string& section) {
  const auto listed = [](std::span<const std::string_view> keys) {
    return std::vector(keys.begin(), keys.end());
  };
  if (section == "evaluation") return listed(kEvaluation);
  if (section == "dataset") return listed(kDataset);
  if (section.empty()) return listed(kTop);
  std::vector<std::string_view> known = listed(kModel);
  for (const Fixed& fixed : kFixed) {
    const std::string_view path = fixed.path;
    if (path.starts_with("model.")) known.push_back(path.substr(6));
  }
  return known;
}

/// Two of the package's names that few letters tell apart.
bool is_other_stage(std::string_view a, std::string_view b) {
  return (a.starts_with("rpn_") && b.starts_with("roi_")) ||
         (a.starts_with("roi_") && b.starts_with("rpn_"));
}

/// The known one that `key` was meant to be; "": none.
std::string_view meant_by(std::string_view key, std::span<const std::string_view> known) {
  constexpr std::size_t kLongest = 100, kShort = 5;
  std::string_view best;
  if (key.size() > kLongest) return best;
  std::size_t most = 2;
  for (const std::string_view name : known) {
    if (is_other_stage(key, name)) continue;
    const std::size_t distance = config::edit_distance(key, name);
    if (distance > most || (name.size() <= kShort && distance > 1)) continue;
    if (!best.empty() && distance == most) continue;
    best = name;
    most = distance;
  }
  return best;
}

[[noreturn]] void refuse(const PackageSettings& settings, const std::string& key,
                         const std::string& message) {
  throw config::ConfigError({{settings.file_of(key).string(), 0, 0, message}});
}

void require_known(const PackageSettings& settings, const std::string& section,
                   std::span<const std::string_view> known) {
  const json* found = settings.find(section);
  if (found == nullptr) return;
  for (const auto& [key, ignored] : found->items()) {
    if (std::ranges::find(known, key) != known.end()) continue;
    refuse(
        settings, section + "." + key,
        section + "." + config::printable(key) + ": not known" + config::did_you_mean(key, known));
  }
}

}  // namespace

void require_package_keys(const PackageSettings& settings, const std::string& model) {
  for (const char* section : {"model", "preprocessing", "production", "evaluation", "dataset"}) {
    const json* found = settings.find(section);
    if (found != nullptr && !found->is_object()) {
      refuse(settings, section,
             std::string(section) + ": wants an object of settings, got " +
                 config::printable(found->dump()));
    }
  }
  require_known(settings, "preprocessing", kPreprocessing);
  require_known(settings, "production", kProduction);
  for (const Fixed& fixed : kFixed) {
    if (std::string_view(fixed.models).find(letter_of(model)) == std::string_view::npos) continue;
    const json* found = settings.find(fixed.path);
    // Numbers compare by value: 4 and 4.0 are one.
    if (found != nullptr && *found != json::parse(fixed.value)) {
      refuse(settings, fixed.path,
             std::string(fixed.path) + " is " + config::printable(found->dump()) + "; only " +
                 fixed.value + " is supported for " + model);
    }
  }
}

std::vector<std::string> misspelt_package_keys(const PackageSettings& settings) {
  std::vector<std::string> sentences;
  for (const std::string section : {"", "model", "evaluation", "dataset"}) {
    const json* found = section.empty() ? &settings.values : settings.find(section);
    if (found == nullptr) continue;
    const std::vector<std::string_view> known = known_of(section);
    for (const auto& [key, ignored] : found->items()) {
      if (std::ranges::find(known, key) != known.end()) continue;
      const std::string_view meant = meant_by(key, known);
      if (meant.empty()) continue;
      const std::string before = section.empty() ? "" : section + ".";
      sentences.push_back(settings.file_of(before + key).string() + ": " + before +
                          config::printable(key) + " is not read; did you mean '" + before +
                          std::string(meant) + "'?");
    }
  }
  return sentences;
}

}  // namespace grasppanda::app
