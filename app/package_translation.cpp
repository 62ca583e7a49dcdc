#include "app/package_translation.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "lib/config/config_error.h"
#include "lib/config/suggest.h"

namespace grasppanda::app {

namespace {

using nlohmann::json;

constexpr std::string_view kModels[] = {"rotated_retinanet", "oriented_rcnn", "rotated_faster_rcnn",
                                        "rotated_fcos"};

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

/// A value of the files and the dotted key that it stands under.
struct Found {
  std::string key;
  json value;
};

class Translation {
 public:
  explicit Translation(const PackageSettings& from) : from_(from) {}

  std::vector<TranslatedSetting> run() && {
    const json type = find("model_type").value_or(Found{}).value;
    const std::string name = type.is_string() ? type.get<std::string>() : "";
    if (std::ranges::find(kModels, name) == std::end(kModels)) {
      refuse("model_type", " is " + (type.is_null() ? "missing" : shown(type)) +
                               "; rotated_retinanet, oriented_rcnn, rotated_faster_rcnn and "
                               "rotated_fcos are supported" +
                               config::did_you_mean(name, kModels));
    }
    model_ = name;
    two_stage_ = model_ == "oriented_rcnn" || model_ == "rotated_faster_rcnn";
    set("model.name", Found{"model_type", type});
    set("model.family", Found{"", "oriented_det"});
    for (const char* section : {"model", "preprocessing", "production", "evaluation", "dataset"}) {
      const auto found = find(section);
      if (found && !found->value.is_object()) {
        refuse(section, ": wants an object of settings, got " + shown(found->value));
      }
    }
    require_known("preprocessing", kPreprocessing);
    require_known("production", kProduction);
    require_fixed();
    classes();
    canvas();
    normalization();
    set("model.strides", find("model.fpn_strides"));
    detection();
    windows();
    if (two_stage_) regions();
    set("evaluation.use_exact_rotated_iou", find("evaluation.use_exact_rotated_iou"));
    return std::move(to_);
  }

 private:
  /// `rest` goes on behind the key.
  [[noreturn]] void refuse(const std::string& key, const std::string& rest) const {
    throw config::ConfigError({{from_.file_of(key).string(), 0, 0, key + rest}});
  }
  static std::string shown(const json& value) { return config::printable(value.dump()); }
  /// Under a dotted key; none: not there, or null.
  std::optional<Found> find(const std::string& key) const {
    std::string text = "/" + key;
    std::ranges::replace(text, '.', '/');
    const json::json_pointer pointer(text);
    if (!from_.values.contains(pointer) || from_.values[pointer].is_null()) return std::nullopt;
    return Found{key, from_.values[pointer]};
  }
  /// The first that is there.
  std::optional<Found> first_of(std::initializer_list<const char*> keys) const {
    for (const char* key : keys) {
      if (auto found = find(key)) return found;
    }
    return std::nullopt;
  }
  /// What is in production wins over what the model was trained with.
  std::optional<Found> in_production(const std::string& name) const {
    auto found = find("production." + name);
    return found ? found : find("model." + name);
  }
  void set(const char* ours, std::optional<Found> found) {
    if (found) to_.push_back({ours, std::move(found->value), std::move(found->key)});
  }

  void require_known(const std::string& section, std::span<const std::string_view> known) const {
    const auto found = find(section);
    if (!found) return;
    for (const auto& [key, ignored] : found->value.items()) {
      if (std::ranges::find(known, key) != known.end()) continue;
      throw config::ConfigError({{from_.file_of(section + "." + key).string(), 0, 0,
                                  section + "." + config::printable(key) + ": not known" +
                                      config::did_you_mean(key, known)}});
    }
  }

  void require_fixed() const {
    for (const Fixed& fixed : kFixed) {
      if (std::string_view(fixed.models).find(letter_of(model_)) == std::string_view::npos)
        continue;
      const auto found = find(fixed.path);
      // Numbers compare by value: 4 and 4.0 are one.
      if (found && found->value != json::parse(fixed.value)) {
        refuse(fixed.path, " is " + shown(found->value) + "; only " + fixed.value +
                               " is supported for " + model_);
      }
    }
  }

  void classes() {
    set("model.num_classes", find("num_classes"));
    classes_ = find("class_names");
    if (!classes_) {
      if (const auto map = find("class_map"); map && map->value.is_object()) {
        classes_ = Found{map->key, in_order(map->value)};
      }
    }
    set("detect.classes", classes_);
  }

  json in_order(const json& map) const {
    std::vector<std::pair<std::int64_t, std::string>> order;
    for (const auto& [name, id] : map.items()) {
      if (!id.is_number_integer()) refuse("class_map", " wants whole numbers");
      order.emplace_back(id.get<std::int64_t>(), name);
    }
    std::ranges::sort(order);
    json list = json::array();
    for (const auto& [id, name] : order) {
      list.push_back(name);
      if (id != static_cast<std::int64_t>(list.size())) {
        refuse("class_map", " wants the numbers 1 to " + std::to_string(order.size()) +
                                ", each once; '" + config::printable(name) + "' has " +
                                std::to_string(id));
      }
    }
    return list;
  }

  void canvas() {
    set("model.resize_mode", find("preprocessing.resize_mode"));
    set("model.pad_divisor", find("preprocessing.pad_size_divisor"));
    auto size = find("preprocessing.target_size");
    if (!size) return;
    if (size->value.is_array() && size->value.size() == 2) {
      set("model.canvas", size);  // height, width
    } else {
      if (size->value.is_array() && size->value.size() == 1) size->value = json(size->value[0]);
      set("input.size", size);
    }
  }

  void normalization() {
    // What the package takes where a file says nothing are ImageNet's numbers.
    numbers_of("mean", {0.485, 0.456, 0.406});
    numbers_of("std", {0.229, 0.224, 0.225});
  }

  void numbers_of(const std::string& name, const json& of_imagenet) {
    auto found = find("preprocessing.normalize_" + name);
    if (!found) found = find("preprocessing." + name);
    if (!found) found = Found{"", of_imagenet};
    if (!found->value.is_array()) refuse(found->key, " is no list");
    // Some files count in 0..255.
    const bool large = std::ranges::any_of(
        found->value, [](const json& n) { return n.is_number() && n.get<double>() > 1; });
    for (json& n : found->value) {
      if (large && n.is_number()) n = n.get<double>() / 255;
    }
    set(name == "mean" ? "model.mean" : "model.std", found);
  }

  void detection() {
    // The single-stage models call theirs otherwise.
    set("detect.score_threshold",
        two_stage_
            ? first_of({"production.inference_pre_nms_score_threshold",
                        "model.inference_pre_nms_score_threshold"})
            : first_of({"production.inference_pre_nms_score_threshold", "model.score_threshold",
                        "model.inference_pre_nms_score_threshold"}));
    floors();
    auto iou = in_production("final_nms_iou_threshold");
    if (!iou) iou = find("evaluation.final_nms_iou_threshold");
    set("detect.nms.iou", iou);
    set("detect.tiling.merge_iou", iou);
    set("detect.nms.class_agnostic", in_production("nms_class_agnostic"));
    set("detect.max_detections", in_production("max_detections_per_image"));
    set("model.final_nms_use_cpu", in_production("final_nms_use_cpu"));
  }

  void floors() {
    const Found floor = first_of({"production.score_threshold", "evaluation.val_score_threshold"})
                            .value_or(Found{"", 0.3});
    set("detect.display_threshold", floor);
    Found by_class{"", json::object()};
    for (const char* section : {"evaluation", "production"}) {
      const auto found = find(std::string(section) + ".per_class_score_threshold");
      if (!found) continue;
      if (!found->value.is_object()) refuse(found->key, " wants {class: number}");
      by_class.key = found->key;
      by_class.value.update(found->value);
    }
    if (by_class.value.empty()) return;
    if (!classes_) refuse(by_class.key, " wants class_names or class_map beside it");
    json list = json::array();
    for (const json& name : classes_->value) {
      const std::string text = name.is_string() ? name.get<std::string>() : name.dump();
      list.push_back(by_class.value.value(text, floor.value));
      by_class.value.erase(text);
    }
    if (!by_class.value.empty()) {
      refuse(by_class.key,
             ": there is no class '" + config::printable(by_class.value.begin().key()) + "'");
    }
    set("detect.class_display_thresholds", Found{by_class.key, list});
  }

  /// The package's own, for pictures larger than the canvas.
  void windows() {
    set("detect.tiling.min_side", Found{"", 0});
    set("detect.tiling.overlap", find("production.overlap_pixels"));
    auto margin = find("production.ignore_margin_pixels");
    if (auto overlap = find("dataset.overlap"); !margin && overlap && overlap->value.is_number()) {
      margin = Found{overlap->key, overlap->value.get<double>() / 2};
    }
    set("detect.tiling.ignore_margin", margin);
  }

  void regions() {
    set("model.rpn.pre_nms", in_production("rpn_pre_nms_top_n"));
    set("model.rpn.post_nms", in_production("rpn_post_nms_top_n"));
    set("model.rpn.nms_iou", in_production("rpn_nms_threshold"));
    set("model.top_class_only", in_production("roi_inference_top_class_only"));
  }

  const PackageSettings& from_;
  std::vector<TranslatedSetting> to_;
  std::string model_;
  bool two_stage_ = false;
  std::optional<Found> classes_;
};

}  // namespace

std::vector<TranslatedSetting> translate_package_settings(const PackageSettings& settings) {
  return Translation(settings).run();
}

}  // namespace grasppanda::app
