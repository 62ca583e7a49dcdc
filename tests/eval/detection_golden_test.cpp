// Mean average precision against the figures of the projects whose rules are followed.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "lib/eval/detection_map.h"
#include "lib/eval/dota_boxes.h"
#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

using eval::ClassBoxes;
using eval::MapConvention;
using eval::MapSettings;
using nlohmann::json;

json read(const std::filesystem::path& file) {
  std::ifstream stream(file);
  REQUIRE(stream);
  return json::parse(stream);
}

geometry::RotatedBox box_from(const json& numbers) {
  return {numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]};
}

// Detections of predictions.json by class and image.
std::vector<datasets::ClassDetections> stored_predictions(const json& predictions,
                                                          double least_score) {
  std::map<std::string, datasets::ClassDetections> classes;
  for (const json& image : predictions["results"]) {
    std::string name = image["image_name"];
    name = name.substr(0, name.rfind('.'));
    for (const json& row : image["predictions"]) {
      if (row["score"].get<double>() < least_score) continue;
      auto& entry = classes[row["class_name"]];
      entry.class_name = row["class_name"];
      entry.rows.push_back({name, row["score"], geometry::corners(box_from(row["bbox"]))});
    }
  }
  std::vector<datasets::ClassDetections> result;
  for (auto& [name, entry] : classes) result.push_back(std::move(entry));
  return result;
}

const eval::ClassPrecision& find(const eval::MapResult& result, const std::string& name) {
  const auto found = std::ranges::find(result.classes, name, &eval::ClassPrecision::name);
  REQUIRE(found != result.classes.end());
  return *found;
}

void keep_only(datasets::DotaTruth& truth, const std::string& image) {
  for (std::size_t i = 0; i < truth.images.size(); ++i) {
    if (truth.images[i] != image) truth.objects[i].clear();
  }
}

}  // namespace

TEST_CASE("oriented_det: every setting of its mean average precision") {
  GP_NEED_DATA(goldens, "goldens/oriented_map");
  const json expected = read(goldens / "expected.json");
  const json predictions = read(goldens / "predictions.json");
  const datasets::DotaTruth all =
      datasets::read_dota_truth(goldens, datasets::DotaReading::tolerant);
  int cases = 0;
  for (const auto& [name, entry] : expected["cases"].items()) {
    if (!entry.contains("settings")) continue;
    if (name == "one_image") continue;  // by itself, below
    const std::string case_name = name;
    CAPTURE(case_name);
    ++cases;
    const json& settings = entry["settings"];
    datasets::DotaTruth truth = all;
    auto detections = stored_predictions(predictions, name == "score_ge_0.5" ? 0.5 : -1);
    if (name == "no_ground_truth" || name == "nothing") {
      for (auto& objects : truth.objects) objects.clear();
    }
    if (name == "no_detections" || name == "nothing") detections.clear();
    const auto listed = settings.value("class_names", std::vector<std::string>{});
    MapSettings map_settings{.convention = MapConvention::oriented_det};
    map_settings.thresholds =
        settings.value("iou_thresholds", std::vector<double>{settings.value("iou_threshold", 0.5)});
    map_settings.min_box_size = settings.value("min_box_size", 1.0);
    const auto boxes = eval::dota_boxes(truth, detections, MapConvention::oriented_det, listed);
    const auto results = eval::mean_average_precision(boxes.classes, map_settings);
    const bool is_area = settings.contains("iou_thresholds");
    double map = 0;
    for (std::size_t t = 0; t < results.size(); ++t) {
      map += (is_area ? *results[t].map_area : *results[t].map_voc07) / results.size();
      if (!is_area) continue;
      CHECK(std::abs(*results[t].map_area - entry["per_iou"]["per_iou"][t].get<double>()) < 1e-9);
    }
    CHECK(std::abs(map - entry["map"].get<double>()) < 1e-9);
    CHECK(results.front().classes.size() == entry["ap"].size());
    for (const auto& [class_name, ap] : entry["ap"].items()) {
      CAPTURE(class_name);
      double got = 0;
      for (const eval::MapResult& result : results) {
        const eval::ClassPrecision& precision = find(result, class_name);
        got += (is_area ? *precision.ap_area : *precision.ap_voc07) / results.size();
      }
      CHECK(std::abs(got - ap.get<double>()) < 1e-9);
      const eval::ClassPrecision& precision = find(results.front(), class_name);
      CHECK(precision.gt == entry["classes"][class_name]["num_gts"].get<std::int64_t>());
      CHECK(precision.detections == entry["classes"][class_name]["num_dets"].get<std::int64_t>());
    }
  }
  CHECK(cases == 15);
}

TEST_CASE("oriented_det: one image by itself") {
  GP_NEED_DATA(goldens, "goldens/oriented_map");
  const json entry = read(goldens / "expected.json")["cases"]["one_image"];
  const datasets::DotaTruth all =
      datasets::read_dota_truth(goldens, datasets::DotaReading::tolerant);
  bool found = false;
  for (const std::string& image : all.images) {  // the golden does not say which
    datasets::DotaTruth truth = all;
    keep_only(truth, image);
    auto detections = stored_predictions(read(goldens / "predictions.json"), -1);
    for (auto& group : detections) {
      std::erase_if(group.rows, [&](const auto& row) { return row.image != image; });
    }
    std::erase_if(detections, [](const auto& group) { return group.rows.empty(); });
    const auto boxes = eval::dota_boxes(truth, detections, MapConvention::oriented_det, {});
    const auto result =
        eval::mean_average_precision(boxes.classes, {.convention = MapConvention::oriented_det});
    found = found || (result[0].classes.size() == entry["ap"].size() &&
                      std::abs(*result[0].map_voc07 - entry["map"].get<double>()) < 1e-9);
  }
  CHECK(found);
}

TEST_CASE("devkit: Task 1 in both forms, versions and thresholds") {
  GP_NEED_DATA(goldens, "goldens/oriented_map");
  const json entry = read(goldens / "expected.json")["cases"]["devkit_task1"];
  const auto detections = datasets::read_stored_detections(goldens / "task1");
  int compared = 0;
  for (const auto& [key, classes] : entry.items()) {
    CAPTURE(key);
    datasets::DotaTruth truth = datasets::read_dota_truth(goldens, datasets::DotaReading::strict);
    if (key.starts_with("version1.5")) {
      for (auto& objects : truth.objects) {
        for (auto& object : objects) object.difficult = 0;
      }
    }
    const auto boxes = eval::dota_boxes(truth, detections, MapConvention::devkit, {});
    const bool strict = key.find("iou0.75") != key.npos;
    const auto result = eval::mean_average_precision(
        boxes.classes, {.convention = MapConvention::devkit, .thresholds = {strict ? 0.75 : 0.5}});
    for (const auto& [name, wanted] : classes.items()) {
      CAPTURE(name);
      ++compared;
      const eval::ClassPrecision& got = find(result[0], name);
      const double ap = key.ends_with("area") ? *got.ap_area : *got.ap_voc07;
      if (wanted["ap"].is_string()) {
        CHECK(std::isnan(ap));
      } else {
        CHECK(std::abs(ap - wanted["ap"].get<double>()) < 1e-9);
      }
      if (!wanted["last_recall"].is_null()) {
        const double recall = got.curve.empty() ? 0 : got.curve.back().recall;
        CHECK(std::abs(recall - wanted["last_recall"].get<double>()) < 1e-9);
      }
    }
  }
  CHECK(compared == 56);
}

TEST_CASE("mmrotate: both forms at both thresholds") {
  GP_NEED_DATA(goldens, "goldens/mmrotate/postprocess.json");
  const json evaluation = read(goldens)["evaluation"];
  const std::size_t count = evaluation["detections"][0].size();
  std::vector<ClassBoxes> classes(count);
  for (std::size_t c = 0; c < count; ++c) classes[c].name = std::to_string(c);
  for (std::size_t image = 0; image < evaluation["annotations"].size(); ++image) {
    const json& annotation = evaluation["annotations"][image];
    const auto add = [&](const char* boxes, const char* labels, bool ignored) {
      for (std::size_t i = 0; i < annotation[boxes].size(); ++i) {
        classes[annotation[labels][i].get<std::size_t>()].truth.push_back(
            {geometry::corners(box_from(annotation[boxes][i])), static_cast<std::int64_t>(image),
             ignored});
      }
    };
    add("bboxes", "labels", false);
    add("bboxes_ignore", "labels_ignore", true);
    for (std::size_t c = 0; c < count; ++c) {
      for (const json& row : evaluation["detections"][image][c]) {
        classes[c].detections.push_back({geometry::corners(box_from(row)),
                                         static_cast<std::int64_t>(image), row[5].get<double>()});
      }
    }
  }
  const auto results = eval::mean_average_precision(
      classes, {.convention = MapConvention::mmrotate, .thresholds = {0.5, 0.75}});
  for (const auto& [key, wanted] : evaluation["results"].items()) {
    CAPTURE(key);
    const eval::MapResult& result = key.ends_with("0.75") ? results[1] : results[0];
    const bool is_area = key.starts_with("area");
    const double map = is_area ? *result.map_area : *result.map_voc07;
    CHECK(std::abs(map - wanted["mAP"].get<double>()) < 1e-6);
  }
}

TEST_CASE("dota: the troublesome sets") {
  GP_NEED_DATA(data, "data/troubles/dota_eval");
  int sets = 0;
  for (const auto& folder : std::filesystem::directory_iterator(data)) {
    CAPTURE(folder.path());
    ++sets;
    const json expected = read(folder.path() / "expected.json");
    const auto truth = datasets::read_dota_truth(folder.path(), datasets::DotaReading::strict);
    const auto detections = datasets::read_stored_detections(folder.path() / "results");
    const auto boxes = eval::dota_boxes(truth, detections, MapConvention::dota, {});
    const auto result = eval::mean_average_precision(boxes.classes, {});
    CHECK(std::abs(*result[0].map_voc07 - expected["map07_classes_with_gt"].get<double>()) < 1e-6);
    CHECK(std::abs(*result[0].map_area - expected["map12_classes_with_gt"].get<double>()) < 1e-6);
    for (const auto& [name, wanted] : expected["classes"].items()) {
      CAPTURE(name);
      const eval::ClassPrecision& got = find(result[0], name);
      CHECK(got.gt == wanted["gt"].get<std::int64_t>());
      CHECK(got.detections == wanted["dets"].get<std::int64_t>());
      REQUIRE(got.ap_voc07.has_value() == !wanted["ap07"].is_null());
      if (!got.ap_voc07) continue;
      CHECK(got.tp == wanted["tp"].get<std::int64_t>());
      CHECK(got.fp == wanted["fp"].get<std::int64_t>());
      CHECK(std::abs(*got.ap_voc07 - wanted["ap07"].get<double>()) < 1e-6);
      CHECK(std::abs(*got.ap_area - wanted["ap12"].get<double>()) < 1e-6);
    }
  }
  CHECK(sets == 6);
}

}  // namespace grasppanda::tests
