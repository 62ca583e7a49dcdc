#include "app/package_config.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "lib/config/config_error.h"

namespace grasppanda::app {

namespace {

using nlohmann::json;

constexpr int kMostFiles = 100;  // bases of bases
constexpr int kDeepestObject = 64;
constexpr std::array<const char*, 4> kModels = {"rotated_retinanet", "oriented_rcnn",
                                                "rotated_faster_rcnn", "rotated_fcos"};

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& message) {
  throw config::ConfigError({{file.string(), 0, 0, message}});
}

/// Objects are merged deep, everything else is replaced.
void lay_over(json& under, const json& over) {
  for (const auto& [key, value] : over.items()) {
    if (key.starts_with("_muted_") || key == "_base_") continue;
    if (value.is_object() && under.contains(key) && under[key].is_object()) {
      lay_over(under[key], value);
    } else {
      under[key] = value;
    }
  }
}

json merged(const std::filesystem::path& file, int& files) {
  if (++files > kMostFiles) refuse(file, "_base_ files name each other without end");
  std::ifstream stream(file);
  if (!stream) refuse(file, "cannot be read");
  const auto not_too_deep = [&](int depth, json::parse_event_t, json&) {
    if (depth > kDeepestObject) refuse(file, "is nested without end");
    return true;
  };
  const json own = json::parse(stream, not_too_deep, false);
  if (!own.is_object()) refuse(file, "is no JSON object");
  json result = json::object();
  const json bases = own.value("_base_", json::array());
  const json list = bases.is_array() ? bases : json::array({bases});
  for (const json& base : list) {
    if (!base.is_string()) refuse(file, "_base_ wants the name of a file or a list of them");
    lay_over(result, merged(file.parent_path() / base.get<std::string>(), files));
  }
  lay_over(result, own);
  return result;
}

class Translation {
 public:
  Translation(json from, const std::filesystem::path& file) : from_(std::move(from)), file_(file) {}

  json run() {
    const json type = value("model_type").value_or(json());
    const bool known =
        type.is_string() && std::ranges::find(kModels, type.get<std::string>()) != kModels.end();
    if (!known) {
      refuse(file_, "model_type is " + type.dump() +
                        "; rotated_retinanet, oriented_rcnn, rotated_faster_rcnn and rotated_fcos "
                        "are supported");
    }
    to_["model"] = {{"name", type}, {"family", "oriented_det"}};
    classes();
    preprocessing();
    detection(type.get<std::string>());
    if (type == "oriented_rcnn" || type == "rotated_faster_rcnn") regions();
    return to_;
  }

 private:
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

  void classes() {
    if (const auto names = value("class_names")) {
      to_["detect"]["classes"] = *names;
    } else if (const auto map = value("class_map"); map && map->is_object()) {
      std::vector<std::pair<std::int64_t, std::string>> order;  // ids count from 1
      for (const auto& [name, id] : map->items()) {
        if (!id.is_number_integer()) refuse(file_, "class_map wants whole numbers");
        order.emplace_back(id.get<std::int64_t>(), name);
      }
      std::ranges::sort(order);
      json list = json::array();
      for (const auto& [id, name] : order) list.push_back(name);
      to_["detect"]["classes"] = list;
    }
  }

  void preprocessing() {
    set("/model/resize_mode", value("preprocessing.resize_mode"));
    if (const auto size = value("preprocessing.target_size")) {
      const bool pair = size->is_array() && size->size() == 2;
      if (pair && (*size)[0] != (*size)[1]) {
        refuse(file_,
               "preprocessing.target_size is " + size->dump() + "; only squares are supported");
      }
      to_["input"]["size"] = pair ? (*size)[0] : *size;
    }
    // What the package takes where a file says nothing are ImageNet's numbers.
    const std::array<std::pair<const char*, json>, 2> usual = {
        {{"mean", {0.485, 0.456, 0.406}}, {"std", {0.229, 0.224, 0.225}}}};
    for (const auto& [name, numbers_of_imagenet] : usual) {
      json numbers = value(std::string("preprocessing.") + name).value_or(numbers_of_imagenet);
      if (!numbers.is_array()) refuse(file_, std::string("preprocessing.") + name + " is no list");
      // Some files count in 0..255.
      const bool large = std::ranges::any_of(
          numbers, [](const json& n) { return n.is_number() && n.get<double>() > 1; });
      for (json& n : numbers) {
        if (large && n.is_number()) n = n.get<double>() / 255;
      }
      to_["model"][name] = numbers;
    }
  }

  void detection(const std::string& type) {
    set("/detect/score_threshold", in_production("inference_pre_nms_score_threshold"));
    auto floor = value("production.score_threshold");
    if (!floor) floor = value("evaluation.val_score_threshold");
    to_["detect"]["display_threshold"] = floor.value_or(0.3);
    set("/detect/nms/iou", in_production("final_nms_iou_threshold"));
    set("/detect/nms/class_agnostic", in_production("nms_class_agnostic"));
    set("/detect/max_detections", in_production("max_detections_per_image"));
    set("/detect/tiling/overlap", value("production.overlap_pixels"));
    to_["detect"]["tiling"]["min_side"] = 0;  // the package's own windows
    // RetinaNet takes the exact method on a CPU whatever the file says.
    const auto exact = in_production("final_nms_use_cpu");
    if (exact && exact->is_boolean() && type != "rotated_retinanet") {
      to_["detect"]["nms"]["method"] = exact->get<bool>() ? "exact" : "sampled";
    }
  }

  void regions() {
    set("/model/rpn/pre_nms", in_production("rpn_pre_nms_top_n"));
    set("/model/rpn/post_nms", in_production("rpn_post_nms_top_n"));
    set("/model/rpn/nms_iou", in_production("rpn_nms_threshold"));
    set("/model/top_class_only", in_production("roi_inference_top_class_only"));
  }

  json from_, to_ = json::object();
  const std::filesystem::path& file_;
};

}  // namespace

bool is_package_config(const std::filesystem::path& file) {
  std::string suffix = file.extension().string();
  std::ranges::transform(suffix, suffix.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return suffix == ".json";
}

std::string package_config_yaml(const std::filesystem::path& file) {
  // JSON is YAML.
  int files = 0;
  return Translation(merged(file, files), file)
      .run()
      .dump(1, ' ', false, json::error_handler_t::replace);
}

}  // namespace grasppanda::app
