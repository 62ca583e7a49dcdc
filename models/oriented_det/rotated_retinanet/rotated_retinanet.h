// Rotated RetinaNet of oriented-det. Source: Lin et al., Focal Loss for Dense Object Detection,
// ICCV 2017.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lib/config/config.h"
#include "models/detector.h"
#include "models/oriented_det/detection.h"

namespace grasppanda::models::oriented_det::rotated_retinanet {

const Blueprint& blueprint();
std::vector<ExpectedTensor> expected_tensors(const config::Config* config,
                                             std::span<const io::NamedArray> tensors);
bool recognises(std::span<const io::NamedArray> tensors);
std::unique_ptr<Detector> load(const config::Config& config, const io::Checkpoint& checkpoint,
                               const at::Device& device);

}  // namespace grasppanda::models::oriented_det::rotated_retinanet
