// RoI Transformer of MMRotate. Source: Ding et al., Learning RoI Transformer for Oriented Object
// Detection in Aerial Images, CVPR 2019; Zhou et al., MMRotate, ACM MM 2022.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lib/config/config.h"
#include "models/detector.h"
#include "models/mmrotate/detection.h"

namespace grasppanda::models::mmrotate::roi_transformer {

const Blueprint& blueprint();
std::vector<ExpectedTensor> expected_tensors(const config::Config* config,
                                             std::span<const io::NamedArray> tensors);
bool recognises(std::span<const io::NamedArray> tensors);
std::unique_ptr<Detector> load(const config::Config& config, const io::Checkpoint& checkpoint,
                               const at::Device& device);

}  // namespace grasppanda::models::mmrotate::roi_transformer
