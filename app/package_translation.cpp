#include "app/package_translation.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/config/config_error.h"
#include "lib/config/suggest.h"

namespace grasppanda::app {

namespace {

using nlohmann::json;

constexpr std::array<const char*, 4> kModels = {"rotated_retinanet", "oriented_rcnn",
                                                "rotated_faster_rcnn", "rotated_fcos"};

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

class Translation {
 public:
  Translation(json from, const std::filesystem::path& file) : from_(std::move(from)), file_(file) {}

  json run() {
    const json type = value("model_type").value_or(json());
    if (!type.is_string() || std::ranges::find(kModels, type.get<std::string>()) == kModels.end()) {
      refuse("model_type is " + type.dump() +
             "; rotated_retinanet, oriented_rcnn, rotated_faster_rcnn and rotated_fcos are "
             "supported");
    }
    model_ = type.get<std::string>();
    two_stage_ = model_ == "oriented_rcnn" || model_ == "rotated_faster_rcnn";
    to_["model"] = {{"name", model_}, {"family", "oriented_det"}};
    require_known("preprocessing", kPreprocessing);
    require_known("production", kProduction);
    require_fixed();
    classes();
    canvas();
    normalization();
    set("/model/strides", value("model.fpn_strides"));
    detection();
    windows();
    if (two_stage_) regions();
    if (const auto exact = value("evaluation.use_exact_rotated_iou")) {
      to_["evaluation"]["use_exact_rotated_iou"] = *exact;
    }
    return to_;
  }

 private:
  [[noreturn]] void refuse(const std::string& message) const {
    throw config::ConfigError({{file_.string(), 0, 0, message}});
  }
  /// Under a dotted path; none: not there, or null.
  std::optional<json> value(const std::string& path) const {
    std::string text = "/" + path;
    std::ranges::replace(text, '.', '/');
    const json::json_pointer pointer(text);
    if (!from_.contains(pointer) || from_[pointer].is_null()) return std::nullopt;
    return from_[pointer];
  }
  /// What is in production wins over what the model was trained with.
  std::optional<json> in_production(const std::string& name) const {
    const auto production = value("production." + name);
    return production ? production : value("model." + name);
  }
  void set(const char* pointer, const std::optional<json>& found) {
    if (found) to_[json::json_pointer(pointer)] = *found;
  }

  void require_known(const char* section, std::span<const std::string_view> known) const {
    const auto found = value(section);
    if (!found) return;
    if (!found->is_object()) refuse(std::string(section) + " is no object");
    for (const auto& [key, ignored] : found->items()) {
      if (std::ranges::find(known, key) != known.end()) continue;
      refuse(std::string(section) + "." + config::printable(key) + ": not known" +
             config::did_you_mean(key, known));
    }
  }

  void require_fixed() const {
    for (const Fixed& fixed : kFixed) {
      if (std::string_view(fixed.models).find(letter_of(model_)) == std::string_view::npos)
        continue;
      const auto found = value(fixed.path);
      // Numbers compare by value: 4 and 4.0 are one.
      if (found && *found != json::parse(fixed.value)) {
        refuse(std::string(fixed.path) + " is " + found->dump() + "; only " + fixed.value +
               " is supported for " + model_);
      }
    }
  }

  void classes() {
    set("/model/num_classes", value("num_classes"));
    if (const auto names = value("class_names")) {
      to_["detect"]["classes"] = *names;
    } else if (const auto map = value("class_map"); map && map->is_object()) {
      std::vector<std::pair<std::int64_t, std::string>> order;
      for (const auto& [name, id] : map->items()) {
        if (!id.is_number_integer()) refuse("class_map wants whole numbers");
        order.emplace_back(id.get<std::int64_t>(), name);
      }
      std::ranges::sort(order);
      json list = json::array();
      for (const auto& [id, name] : order) {
        list.push_back(name);
        if (id != static_cast<std::int64_t>(list.size())) {
          refuse("class_map wants the numbers 1 to " + std::to_string(order.size()) +
                 ", each once; '" + config::printable(name) + "' has " + std::to_string(id));
        }
      }
      to_["detect"]["classes"] = list;
    }
  }

  void canvas() {
    set("/model/resize_mode", value("preprocessing.resize_mode"));
    set("/model/pad_divisor", value("preprocessing.pad_size_divisor"));
    const auto size = value("preprocessing.target_size");
    if (!size) return;
    if (size->is_array() && size->size() == 2) {
      to_["model"]["canvas"] = *size;  // height, width
    } else {
      to_["input"]["size"] = size->is_array() && size->size() == 1 ? (*size)[0] : *size;
    }
  }

  void normalization() {
    // What the package takes where a file says nothing are ImageNet's numbers.
    const std::array<std::pair<std::string, json>, 2> usual = {
        {{"mean", {0.485, 0.456, 0.406}}, {"std", {0.229, 0.224, 0.225}}}};
    for (const auto& [name, of_imagenet] : usual) {
      auto found = value("preprocessing.normalize_" + name);
      if (!found) found = value("preprocessing." + name);
      json numbers = found.value_or(of_imagenet);
      if (!numbers.is_array()) refuse("preprocessing.normalize_" + name + " is no list");
      // Some files count in 0..255.
      const bool large = std::ranges::any_of(
          numbers, [](const json& n) { return n.is_number() && n.get<double>() > 1; });
      for (json& n : numbers) {
        if (large && n.is_number()) n = n.get<double>() / 255;
      }
      to_["model"][name] = numbers;
    }
  }

  void detection() {
    auto threshold = value("production.inference_pre_nms_score_threshold");
    // The single-stage models call theirs otherwise.
    if (!threshold && !two_stage_) threshold = value("model.score_threshold");
    if (!threshold) threshold = value("model.inference_pre_nms_score_threshold");
    set("/detect/score_threshold", threshold);
    floors();
    auto iou = in_production("final_nms_iou_threshold");
    if (!iou) iou = value("evaluation.final_nms_iou_threshold");
    set("/detect/nms/iou", iou);
    set("/detect/tiling/merge_iou", iou);
    set("/detect/nms/class_agnostic", in_production("nms_class_agnostic"));
    set("/detect/max_detections", in_production("max_detections_per_image"));
    set("/model/final_nms_use_cpu", in_production("final_nms_use_cpu"));
  }

  void floors() {
    auto floor = value("production.score_threshold");
    if (!floor) floor = value("evaluation.val_score_threshold");
    to_["detect"]["display_threshold"] = floor.value_or(0.3);
    json by_class = json::object();
    for (const char* section : {"evaluation", "production"}) {
      const auto found = value(std::string(section) + ".per_class_score_threshold");
      if (!found) continue;
      if (!found->is_object()) {
        refuse(std::string(section) + ".per_class_score_threshold wants {class: number}");
      }
      by_class.update(*found);
    }
    if (by_class.empty()) return;
    if (!to_["detect"].contains("classes")) {
      refuse("per_class_score_threshold wants class_names or class_map beside it");
    }
    json list = json::array();
    for (const json& name : to_["detect"]["classes"]) {
      const std::string text = name.is_string() ? name.get<std::string>() : name.dump();
      list.push_back(by_class.value(text, to_["detect"]["display_threshold"]));
      by_class.erase(text);
    }
    if (!by_class.empty()) {
      refuse("per_class_score_threshold: there is no class '" +
             config::printable(by_class.begin().key()) + "'");
    }
    to_["detect"]["class_display_thresholds"] = list;
  }

  /// The package's own, for pictures larger than the canvas.
  void windows() {
    to_["detect"]["tiling"]["min_side"] = 0;
    set("/detect/tiling/overlap", value("production.overlap_pixels"));
    auto margin = value("production.ignore_margin_pixels");
    if (const auto overlap = value("dataset.overlap"); !margin && overlap && overlap->is_number()) {
      margin = overlap->get<double>() / 2;
    }
    set("/detect/tiling/ignore_margin", margin);
  }

  void regions() {
    set("/model/rpn/pre_nms", in_production("rpn_pre_nms_top_n"));
    set("/model/rpn/post_nms", in_production("rpn_post_nms_top_n"));
    set("/model/rpn/nms_iou", in_production("rpn_nms_threshold"));
    set("/model/top_class_only", in_production("roi_inference_top_class_only"));
  }

  json from_, to_ = json::object();
  const std::filesystem::path& file_;
  std::string model_;
  bool two_stage_ = false;
};

}  // namespace

nlohmann::json translate_package_settings(nlohmann::json settings,
                                          const std::filesystem::path& file) {
  return Translation(std::move(settings), file).run();
}

}  // namespace grasppanda::app
