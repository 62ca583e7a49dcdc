// Rotated FCOS of oriented-det. Source: Tian et al., FCOS: Fully Convolutional One-Stage Object
// Detection, ICCV 2019.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lib/config/config.h"
#include "models/detector.h"
#include "models/oriented_det/detection.h"

namespace grasppanda::models::oriented_det::rotated_fcos {

const Blueprint& blueprint();
std::vector<ExpectedTensor> expected_tensors(const config::Config* config,
                                             std::span<const io::NamedArray> tensors);
bool recognises(std::span<const io::NamedArray> tensors);
std::unique_ptr<Detector> load(const config::Config& config, const io::Checkpoint& checkpoint,
                               const at::Device& device);

}  // namespace grasppanda::models::oriented_det::rotated_fcos
