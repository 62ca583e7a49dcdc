#include "app/commands/detection_metrics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "lib/config/config_error.h"
#include "lib/io/png.h"
#include "lib/render/curve_picture.h"

namespace grasppanda::app {

namespace {

using Json = nlohmann::ordered_json;

Json number_or_null(const std::optional<double>& value) {
  return value && std::isfinite(*value) ? Json(*value) : Json();
}

Json result_json(const eval::MapResult& result) {
  Json classes = Json::object();
  for (const eval::ClassPrecision& entry : result.classes) {
    classes[entry.name] = {{"ap_voc07", number_or_null(entry.ap_voc07)},
                           {"ap_area", number_or_null(entry.ap_area)},
                           {"gt", entry.gt},
                           {"detections", entry.detections},
                           {"tp", entry.tp},
                           {"fp", entry.fp}};
  }
  return {{"iou", result.iou},
          {"mAP_voc07", number_or_null(result.map_voc07)},
          {"mAP_area", number_or_null(result.map_area)},
          {"classes", std::move(classes)}};
}

// The shortest that is this number: thresholds are told apart by it.
std::string short_number(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

std::string percent(const std::optional<double>& value) {
  char text[32] = "-";
  if (value && std::isfinite(*value)) std::snprintf(text, sizeof text, "%.2f", 100 * *value);
  return text;
}

// A name that stays one file in its folder, another one for every class.
std::string file_name(const std::string& class_name, std::set<std::string>& taken) {
  constexpr std::size_t kLongest = 200;  // bytes; file systems take 255
  std::string name = class_name.substr(0, kLongest);
  for (char& c : name) {
    if (c == '/' || static_cast<unsigned char>(c) < 0x20) c = '_';
  }
  if (name == "." || name == "..") name = "_";
  std::string free = name;
  for (int i = 2; !taken.insert(free).second; ++i) free = name + "-" + std::to_string(i);
  return free;
}

std::optional<double> mean_of(std::span<const eval::MapResult> results,
                              std::optional<double> eval::MapResult::*map) {
  double sum = 0;
  for (const eval::MapResult& result : results) {
    if (!(result.*map) || !std::isfinite(*(result.*map))) return {};
    sum += *(result.*map);
  }
  return sum / static_cast<double>(results.size());
}

std::string result_table(const eval::MapResult& result, eval::MapConvention convention,
                         OverlapMethod overlap) {
  std::size_t widest = 5;
  for (const eval::ClassPrecision& entry : result.classes) {
    widest = std::max(widest, config::printable(entry.name).size());
  }
  const auto row = [&](std::string name, const std::array<std::string, 6>& cells) {
    name.resize(std::max(widest, name.size()), ' ');
    for (const std::string& cell : cells) {
      name += std::string(cell.size() < 11 ? 11 - cell.size() : 1, ' ') + cell;
    }
    return name + "\n";
  };
  std::string text = "IoU " + short_number(result.iou) + ", rules of " +
                     std::string(eval::map_convention_name(convention)) +
                     (overlap == OverlapMethod::exact ? "" : ", sampled overlaps") +
                     ", AP in percent\n";
  text += row("class", {"AP (voc07)", "AP (area)", "objects", "detections", "right", "wrong"});
  eval::ClassPrecision sum;
  for (const eval::ClassPrecision& entry : result.classes) {
    text +=
        row(config::printable(entry.name),
            {percent(entry.ap_voc07), percent(entry.ap_area), std::to_string(entry.gt),
             std::to_string(entry.detections), std::to_string(entry.tp), std::to_string(entry.fp)});
    sum.gt += entry.gt;
    sum.detections += entry.detections;
    sum.tp += entry.tp;
    sum.fp += entry.fp;
  }
  return text + row("mean", {percent(result.map_voc07), percent(result.map_area),
                             std::to_string(sum.gt), std::to_string(sum.detections),
                             std::to_string(sum.tp), std::to_string(sum.fp)});
}

}  // namespace

Json detection_metrics_json(std::span<const eval::MapResult> results,
                            eval::MapConvention convention, OverlapMethod overlap) {
  Json metrics = {{"schema", "grasppanda.metrics/1"},
                  {"task", "detection"},
                  {"convention", eval::map_convention_name(convention)},
                  {"overlap", overlap == OverlapMethod::exact ? "exact" : "sampled"}};
  metrics.update(result_json(results.front()));
  if (results.size() > 1) {
    Json by_iou = Json::object();
    for (const eval::MapResult& result : results) {
      by_iou[short_number(result.iou)] = result_json(result);
    }
    metrics["by_iou"] = std::move(by_iou);
    metrics["mean_over_iou"] = {
        {"mAP_voc07", number_or_null(mean_of(results, &eval::MapResult::map_voc07))},
        {"mAP_area", number_or_null(mean_of(results, &eval::MapResult::map_area))}};
  }
  return metrics;
}

std::string detection_metrics_table(std::span<const eval::MapResult> results,
                                    eval::MapConvention convention, OverlapMethod overlap) {
  std::string text;
  for (const eval::MapResult& result : results) text += result_table(result, convention, overlap);
  if (results.size() < 2) return text;
  return text + "mean over the " + std::to_string(results.size()) + " overlaps: AP (voc07) " +
         percent(mean_of(results, &eval::MapResult::map_voc07)) + ", AP (area) " +
         percent(mean_of(results, &eval::MapResult::map_area)) + "\n";
}

std::vector<std::string> write_curves(const eval::MapResult& result, const run::RunDirectory& run) {
  std::vector<std::string> written;
  std::set<std::string> taken;
  for (const eval::ClassPrecision& entry : result.classes) {
    const std::string name = file_name(entry.name, taken);
    std::string csv = "score,recall,precision\n";
    std::vector<std::array<double, 2>> points;
    char line[96];
    for (const eval::CurvePoint& point : entry.curve) {
      std::snprintf(line, sizeof line, "%.9g,%.9g,%.9g\n", point.score, point.recall,
                    point.precision);
      csv += line;
      points.push_back({point.recall, point.precision});
    }
    written.push_back("curves/" + name + ".csv");
    run.write(written.back(), csv);
    const render::CurvePicture picture{
        .title = entry.name,
        .note = "AP " + percent(entry.ap_voc07) + " (11 points), " + percent(entry.ap_area) +
                " (area); IoU " + short_number(result.iou) + "; " + std::to_string(entry.gt) +
                " objects, " + std::to_string(entry.detections) + " detections",
        .points = points};
    written.push_back("pictures/curves/" + name + ".png");
    io::write_png(run.place(written.back()), render::draw_curve(picture).take());
  }
  return written;
}

}  // namespace grasppanda::app
