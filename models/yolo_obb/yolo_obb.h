// YOLO-OBB: YOLOv8, YOLO11 and YOLO26 with oriented boxes, by their trained checkpoints.
// Source: Jocher et al., Ultralytics YOLO; numbers as its release 8.4 gives them.
#pragma once

#include <memory>

#include "lib/config/config.h"
#include "lib/io/checkpoint.h"
#include "models/detector.h"

namespace grasppanda::models::yolo_obb {

/// Throws CheckpointError where the config and the file disagree (classes, branch).
std::unique_ptr<Detector> load(const config::Config& config, const io::Checkpoint& checkpoint,
                               const at::Device& device);

}  // namespace grasppanda::models::yolo_obb
