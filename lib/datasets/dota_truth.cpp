#include "lib/datasets/dota_truth.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "lib/datasets/input_names.h"
#include "lib/io/format_error.h"
#include "lib/io/json_file.h"
#include "lib/io/text_numbers.h"

namespace grasppanda::datasets {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// "P0001" of predictions/P0001.json; folders below belong to the name.
std::string image_name(const fs::path& file, const fs::path& folder) {
  fs::path relative = file.lexically_relative(folder);
  relative.replace_extension();
  return relative.generic_string();
}

DotaDetection detection_from(const json& entry, const std::string& image) {
  DotaDetection row{image, entry.at("score").get<double>(), {}};
  const json& corners = entry.at("corners");
  if (corners.size() != 8) throw std::invalid_argument("corners");
  for (std::size_t i = 0; i < 8; ++i) row.corners[i / 2][i % 2] = corners.at(i).get<double>();
  if (!std::isfinite(row.score)) throw std::invalid_argument("score");
  return row;
}

// False for a JSON file that holds no detections (coco.json).
bool take_predictions(const fs::path& file, const std::string& image,
                      std::map<std::string, std::vector<DotaDetection>>& classes) {
  const json document = io::read_json(file);
  if (!document.is_object() || !document.contains("detections")) return false;
  std::size_t number = 0;
  try {
    for (const json& entry : document.at("detections")) {
      classes[entry.at("class").get<std::string>()].push_back(detection_from(entry, image));
      ++number;
    }
  } catch (const std::exception&) {
    throw io::FormatError(file.string() + ": detection " + std::to_string(number) +
                          " has no class, score and 8 corners; is it the predictions of a run?");
  }
  return true;
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_regular_file() && entry.path().extension() == ".json") {
      files.push_back(entry.path());
    }
  }
  std::ranges::sort(files);
  return files;
}

std::vector<ClassDetections> read_run_predictions(const fs::path& folder) {
  std::map<std::string, std::vector<DotaDetection>> classes;
  std::size_t taken = 0;
  for (const fs::path& file : json_files(folder)) {
    if (take_predictions(file, image_name(file, folder), classes)) ++taken;
  }
  if (taken == 0) {
    throw io::FormatError(folder.string() +
                          ": no predictions; wanted Task1_CLASS.txt files or a run directory");
  }
  std::vector<ClassDetections> result;
  for (auto& [name, rows] : classes) result.push_back({name, std::move(rows)});
  return result;
}

}  // namespace

DotaTruth read_dota_truth(const fs::path& root, DotaReading reading) {
  DotaTruth truth;
  truth.images = list_dota_images(root);
  if (truth.images.empty()) {
    const fs::path list = root / "imageset.txt";
    std::error_code ignored;
    if (fs::exists(list, ignored)) throw io::FormatError(list.string() + ": names no image");
    throw io::FormatError((root / "labelTxt").string() + ": no label file, so there is no truth");
  }
  for (std::size_t i = 0; i < truth.images.size(); ++i) {
    truth.index.emplace(truth.images[i], static_cast<std::int64_t>(i));
    truth.objects.push_back(
        read_dota_labels(root / "labelTxt" / (truth.images[i] + ".txt"), reading));
  }
  // Result files hold no blanks in names.
  for (std::size_t i = 0; i < truth.images.size(); ++i) {
    truth.index.emplace(io::as_one_word(truth.images[i]), static_cast<std::int64_t>(i));
  }
  return truth;
}

std::vector<fs::path> stored_detection_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const Task1File& file : list_task1(folder)) files.push_back(file.file);
  return files.empty() ? json_files(folder) : files;
}

std::optional<std::set<std::string>> predicted_images(const fs::path& folder) {
  if (!list_task1(folder).empty()) return {};
  std::set<std::string> images;
  for (const fs::path& file : json_files(folder)) images.insert(image_name(file, folder));
  return images;
}

std::vector<ClassDetections> read_stored_detections(const fs::path& folder) {
  std::vector<ClassDetections> result;
  for (const Task1File& file : list_task1(folder)) {
    result.push_back({file.class_name, read_task1(file.file)});
  }
  return result.empty() ? read_run_predictions(folder) : result;
}

}  // namespace grasppanda::datasets
