#include "app/commands/compare_runs.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <iostream>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/commands/run_differences.h"
#include "app/log.h"
#include "app/report_error.h"
#include "lib/io/format_error.h"
#include "lib/io/json_file.h"

namespace grasppanda::app {

namespace {

using nlohmann::json;

struct ComparedRun {
  std::string name;
  std::string task;
  std::vector<std::pair<std::string, std::optional<double>>> numbers;  // fractions
};

std::optional<double> number_of(const json& value) {
  if (!value.is_number()) return {};
  return value.get<double>();
}

void take_grasps(const json& metrics, ComparedRun& run) {
  for (const auto& [camera, entry] : metrics.at("cameras").items()) {
    for (const char* name : {"AP", "AP0.8", "AP0.4"}) {
      run.numbers.emplace_back(camera + " " + name, number_of(entry.at(name)));
    }
    for (const auto& [split, part] : entry.at("splits").items()) {
      run.numbers.emplace_back(camera + " AP " + split,
                               part.is_null() ? std::nullopt : number_of(part.at("AP")));
    }
  }
}

void take_detections(const json& metrics, ComparedRun& run) {
  for (const char* name : {"mAP_voc07", "mAP_area"}) {
    run.numbers.emplace_back(name, number_of(metrics.at(name)));
  }
  if (metrics.contains("by_iou")) {
    for (const auto& [iou, result] : metrics.at("by_iou").items()) {
      for (const char* name : {"mAP_voc07", "mAP_area"}) {
        run.numbers.emplace_back(std::string(name) + " at " + iou, number_of(result.at(name)));
      }
    }
    for (const auto& [name, value] : metrics.at("mean_over_iou").items()) {
      run.numbers.emplace_back(name + " mean", number_of(value));
    }
  }
  for (const auto& [name, entry] : metrics.at("classes").items()) {
    run.numbers.emplace_back(name + " ap_voc07", number_of(entry.at("ap_voc07")));
  }
}

ComparedRun compared_run(const json& metrics, std::string name, const std::filesystem::path& file) {
  ComparedRun run{std::move(name), {}, {}};
  try {
    run.task = metrics.at("task").get<std::string>();
    if (run.task == "grasp") {
      take_grasps(metrics, run);
    } else {
      take_detections(metrics, run);
    }
    run_differences({&metrics, 1});  // has what is compared
  } catch (const json::exception&) {
    throw io::FormatError(file.string() + ": is no grasppanda.metrics/1 document of `test`");
  }
  return run;
}

std::string percent(const std::optional<double>& value, const char* format) {
  char text[32] = "-";
  if (value) std::snprintf(text, sizeof text, format, 100 * *value);
  return text;
}

std::string padded(std::string text, std::size_t width) {
  return text.size() < width ? std::string(width - text.size(), ' ') + text : text;
}

std::optional<double> find(const ComparedRun& run, const std::string& name) {
  for (const auto& [known, value] : run.numbers) {
    if (known == name) return value;
  }
  return {};
}

}  // namespace

ExitCode compare_runs(const Invocation& invocation) {
  std::vector<std::string> folders = invocation.all("--compare");
  folders.insert(folders.end(), invocation.arguments.begin(), invocation.arguments.end());
  if (folders.size() < 2) {
    throw UsageError("test --compare wants two run directories or more");
  }
  std::vector<ComparedRun> runs;
  std::vector<json> metrics;
  std::vector<std::string> labels = distinct_names(folders);
  for (std::size_t i = 0; i < folders.size(); ++i) {
    const std::filesystem::path file = std::filesystem::path(folders[i]) / "metrics.json";
    metrics.push_back(io::read_json(file));
    runs.push_back(compared_run(metrics.back(), std::move(labels[i]), file));
  }
  std::vector<std::string> names;
  std::size_t widest = 0;
  for (const ComparedRun& run : runs) {
    if (run.task != runs.front().task) {
      throw io::FormatError(run.name + ": holds metrics of the task '" + run.task + "', " +
                            runs.front().name + " of '" + runs.front().task + "'");
    }
    for (const auto& [name, value] : run.numbers) {
      if (std::ranges::find(names, name) != names.end()) continue;
      names.push_back(name);
      widest = std::max(widest, name.size());
    }
  }
  for (const std::string& difference : run_differences(metrics)) log_warning(difference);
  constexpr std::size_t kColumn = 10;
  std::string text;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    text += run_label(i) + " " + runs[i].name + "\n";
  }
  text += std::string(widest, ' ');
  for (std::size_t i = 0; i < runs.size(); ++i) {
    text += padded(run_label(i), kColumn);
    if (i > 0) text += padded("diff", kColumn);
  }
  text += "   (percent)\n";
  for (const std::string& name : names) {
    text += name + std::string(widest - name.size(), ' ');
    const std::optional<double> first = find(runs.front(), name);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      const std::optional<double> value = find(runs[i], name);
      text += padded(percent(value, "%.2f"), kColumn);
      if (i == 0) continue;
      const bool both = first && value;
      text +=
          padded(percent(both ? std::optional(*value - *first) : std::nullopt, "%+.2f"), kColumn);
    }
    text += "\n";
  }
  std::cout << text;
  return ExitCode::done;
}

}  // namespace grasppanda::app
