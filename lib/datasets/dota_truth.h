// The labels of a DOTA folder, and stored predictions for its images.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "lib/datasets/dota.h"

namespace grasppanda::datasets {

struct DotaTruth {
  std::vector<std::string> images;
  std::map<std::string, std::int64_t, std::less<>>
      index;                                     // of an image in `images`; also as one word
  std::vector<std::vector<DotaObject>> objects;  // of each image
};

/// Every label file of the image list. Throws io::FormatError, also when there is no image.
DotaTruth read_dota_truth(const std::filesystem::path& root, DotaReading reading);

/// Detections of one class, in the order in which equal scores are judged.
struct ClassDetections {
  std::string class_name;
  std::vector<DotaDetection> rows;
};

/// What read_stored_detections opens.
std::vector<std::filesystem::path> stored_detection_files(const std::filesystem::path& folder);

/// The images that the `predictions/*.json` of a run are about; nothing for Task1 files, which do
/// not say which images were looked at.
std::optional<std::set<std::string>> predicted_images(const std::filesystem::path& folder);

/// Task1_CLASS.txt files, or the `predictions/*.json` of a run (there the rows are in order of the
/// images). Throws io::FormatError: neither is there, a file that is none of ours.
std::vector<ClassDetections> read_stored_detections(const std::filesystem::path& folder);

}  // namespace grasppanda::datasets
