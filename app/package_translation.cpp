#include "app/package_translation.h"

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <utility>

#include "app/package_keys.h"
#include "lib/config/config_error.h"
#include "lib/config/suggest.h"

namespace grasppanda::app {

namespace {

using nlohmann::json;

constexpr std::string_view kModels[] = {"rotated_retinanet", "oriented_rcnn", "rotated_faster_rcnn",
                                        "rotated_fcos"};

constexpr std::uint64_t kUsualOverlap = 200;  // of windows, pixels

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
    require_package_keys(from_, model_);
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
  std::optional<Found> find(const std::string& key) const {
    const json* value = from_.find(key);
    return value == nullptr ? std::nullopt : std::optional(Found{key, *value});
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
    Found side = *size;
    if (size->value.is_array() && size->value.size() == 2) {
      set("model.canvas", size);  // height, width
      side.value = std::max(size->value[0], size->value[1]);
    } else {
      if (size->value.is_array() && size->value.size() == 1) side.value = json(size->value[0]);
      set("input.size", side);
    }
    // What an overlap must be smaller than; the usual one is cut down to that.
    if (!side.value.is_number_unsigned()) return;
    set("detect.tiling.window", side);
    const auto pixels = side.value.get<std::uint64_t>();
    if (pixels > 0 && pixels <= kUsualOverlap && !find("production.overlap_pixels")) {
      set("detect.tiling.overlap", Found{"", pixels - 1});
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
