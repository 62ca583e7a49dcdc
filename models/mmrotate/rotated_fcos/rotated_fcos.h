// Rotated FCOS of MMRotate. Source: Tian et al., FCOS: Fully Convolutional One-Stage Object
// Detection, ICCV 2019; Zhou et al., MMRotate, ACM MM 2022.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lib/config/config.h"
#include "models/backbones/dense_head.h"
#include "models/detector.h"
#include "models/mmrotate/detection.h"

namespace grasppanda::models::mmrotate::rotated_fcos {

const Blueprint& blueprint();
std::vector<ExpectedTensor> expected_tensors(const config::Config* config,
                                             std::span<const io::NamedArray> tensors);
bool recognises(std::span<const io::NamedArray> tensors);
std::unique_ptr<Detector> load(const config::Config& config, const io::Checkpoint& checkpoint,
                               const at::Device& device);

/// One level as candidates are taken from it.
DenseLevel level_of(const FcosOutput& output, std::int64_t stride, AngleConvention convention);

}  // namespace grasppanda::models::mmrotate::rotated_fcos
