// Oriented R-CNN of oriented-det. Source: Xie et al., Oriented R-CNN for Object Detection, ICCV
// 2021.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lib/config/config.h"
#include "models/detector.h"
#include "models/oriented_det/detection.h"

namespace grasppanda::models::oriented_det::oriented_rcnn {

const Blueprint& blueprint();
std::vector<ExpectedTensor> expected_tensors(const config::Config* config,
                                             std::span<const io::NamedArray> tensors);
bool recognises(std::span<const io::NamedArray> tensors);
std::unique_ptr<Detector> load(const config::Config& config, const io::Checkpoint& checkpoint,
                               const at::Device& device);

}  // namespace grasppanda::models::oriented_det::oriented_rcnn
