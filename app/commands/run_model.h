// The model of a run: weights read, compared with what the model expects, network built.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lib/config/config.h"
#include "lib/run/file_stamp.h"
#include "models/detector.h"
#include "models/model.h"

namespace grasppanda::app {

struct RunModel {
  std::string name;
  // One of the two, as the model is.
  std::unique_ptr<models::GraspModel> model{};
  std::unique_ptr<models::Detector> detector{};
  run::FileStamp checkpoint{};          // absolute path
  std::size_t tensors = 0;              // that the file offers
  std::vector<std::string> warnings{};  // of the file: leftovers, foreign objects
};

/// Throws UsageError without a checkpoint, io::FormatError for a file that is none,
/// models::CheckpointError when names or shapes do not fit, ops::BackendError for the device.
RunModel load_run_model(const config::Config& config, const std::string& device);

}  // namespace grasppanda::app
