// Names and shapes of the tensors in checkpoints of YOLO-OBB, and what such a file says besides.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "lib/config/config.h"
#include "lib/io/checkpoint.h"
#include "models/model.h"
#include "models/yolo_obb/architecture.h"

namespace grasppanda::models::yolo_obb {

/// What the tensors' own network wants. Without tensors: YOLOv8 n with 15 classes.
std::vector<ExpectedTensor> expected_tensors(const config::Config* config,
                                             std::span<const io::NamedArray> tensors);
bool recognises(std::span<const io::NamedArray> tensors);

/// Throws CheckpointError for a file whose own class names say that it is something else: another
/// task's head, another activation, or a family or scale that the config excludes.
void require_kind(const config::Config& config, const io::Checkpoint& checkpoint);

/// What inference needs beside the tensors.
struct StoredSettings {
  Architecture net;
  std::vector<std::string> classes;  // empty: the file does not name them
  std::int64_t image_size = 0;       // 0: the file does not say
  std::string license;               // as the file says it, or empty
  /// Has the block's convolution an activation, by its name ("model.9.cv1"): what the file's graph
  /// says. Blocks that are not here have what their family has.
  std::map<std::string, bool> activations;
  bool sppf_activation = true;  // of the first convolution of SPPF
  double norm_eps = 1e-3;
};
/// `config`: null when only the file is looked at.
StoredSettings stored_settings(const io::Checkpoint& checkpoint, const config::Config* config);

/// For listings and converted files: "family" "yolov8", "scale" "n", "image_size" "1024", ...
std::vector<std::pair<std::string, std::string>> told_facts(const io::Checkpoint& checkpoint);

}  // namespace grasppanda::models::yolo_obb
