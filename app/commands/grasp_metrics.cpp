#include "app/commands/grasp_metrics.h"

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <numbers>
#include <vector>

#include "app/commands/test_selection.h"
#include "lib/io/npy.h"

namespace grasppanda::app {

namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<const char*, 3> kTestSplits = {"seen", "similar", "novel"};

Json precision_json(const eval::GraspPrecision& precision) {
  return {{"AP", precision.ap}, {"AP0.8", precision.ap_08}, {"AP0.4", precision.ap_04}};
}

std::string percent(const Json& value) {
  if (value.is_null()) return "      -";
  char text[32];
  std::snprintf(text, sizeof text, "%7.2f", 100 * value.get<double>());
  return text;
}

Json contacts_json(const std::optional<std::array<eval::Contact, 2>>& contacts) {
  if (!contacts) return nullptr;
  return {(*contacts)[0].point, (*contacts)[1].point};
}

Json angles_json(const eval::ForceClosure& closure) {
  if (!closure.contacts) return nullptr;
  Json angles = Json::array();
  for (const double angle : closure.angles_rad) {
    angles.push_back(std::isnan(angle) ? 0.0 : angle * 180 / std::numbers::pi);
  }
  return angles;
}

}  // namespace

Json grasp_metrics_json(std::span<const eval::SceneAccuracy> scenes,
                        std::span<const datasets::SceneViews> views) {
  Json cameras = Json::object();
  for (std::size_t i = 0; i < scenes.size(); ++i) {
    const eval::SceneAccuracy& scene = scenes[i];
    const std::string& camera = scene.camera;
    if (!cameras.contains(camera)) {
      Json entry = precision_json(*eval::grasp_precision(scenes, camera, "all"));
      entry["views"] = 0;
      Json splits = Json::object();
      for (const std::string_view split : datasets::kSplits) {
        const auto precision = eval::grasp_precision(scenes, camera, split);
        if (precision && (split == "train" || split == "test")) {
          splits[std::string(split)] = precision_json(*precision);
        }
        for (const char* name : kTestSplits) {
          if (split == name) splits[name] = precision ? precision_json(*precision) : Json();
        }
      }
      entry["splits"] = std::move(splits);
      entry["scenes"] = Json::object();
      cameras[camera] = std::move(entry);
    }
    Json& entry = cameras[camera];
    entry["views"] = entry["views"].get<std::size_t>() + scene.sums.views();
    Json& part = entry["scenes"][scene.name] = precision_json(scene.sums.mean());
    part["view_list"] = number_list(views[i].views);
  }
  return {{"schema", "grasppanda.metrics/1"},
          {"task", "grasp"},
          {"evaluation",
           {{"top_k", eval::kTopK},
            {"frictions", eval::kFrictions},
            {"nms", {{"translation", 0.03}, {"rotation_deg", 30}}},
            {"grasps_per_object", 10},
            {"collision", "scene models and table, gripper without approach"}}},
          {"cameras", std::move(cameras)}};
}

std::string grasp_metrics_table(const Json& metrics) {
  std::string text =
      "camera      views      AP   AP0.8   AP0.4    seen similar   novel   (percent)\n";
  for (const auto& [camera, entry] : metrics["cameras"].items()) {
    char head[64];
    std::snprintf(head, sizeof head, "%-10s %6zu ", camera.c_str(),
                  entry["views"].get<std::size_t>());
    text += head;
    for (const char* name : {"AP", "AP0.8", "AP0.4"}) text += percent(entry[name]) + " ";
    for (const char* split : kTestSplits) {
      const Json& part = entry["splits"][split];
      text += percent(part.is_null() ? part : part["AP"]) + " ";
    }
    text.back() = '\n';
  }
  return text;
}

std::string write_accuracy(const eval::SceneVerdicts& scene, const run::RunDirectory& run) {
  std::vector<double> values;
  for (const eval::ViewVerdict& view : scene.verdicts) {
    for (const auto& row : view.accuracy) values.insert(values.end(), row.begin(), row.end());
  }
  const auto views = static_cast<std::int64_t>(scene.verdicts.size());
  const std::filesystem::path relative =
      std::filesystem::path("accuracy") / scene.views.scene_name() / (scene.views.camera + ".npy");
  io::write_npy(run.place(relative), io::make_array({views, eval::kTopK, 6}, values));
  return relative.generic_string();
}

std::string grasp_detail_lines(const eval::SceneVerdicts& scene, std::span<const int> object_ids) {
  std::string text;
  for (std::size_t i = 0; i < scene.verdicts.size(); ++i) {
    const std::string view = scene.views.view_name(scene.views.views[i]);
    for (const eval::GraspVerdict& verdict : scene.verdicts[i].ranked) {
      const Json line = {{"view", view},
                         {"row", verdict.row},
                         {"object", object_ids[verdict.object]},
                         {"object_index", verdict.object},
                         {"collision", verdict.collision},
                         {"empty", verdict.empty},
                         {"contacts", contacts_json(verdict.closure.contacts)},
                         {"angles_deg", angles_json(verdict.closure)},
                         {"score", verdict.closure.score}};
      text += line.dump() + "\n";
    }
  }
  return text;
}

}  // namespace grasppanda::app
