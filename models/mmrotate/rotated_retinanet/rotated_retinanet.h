// Rotated RetinaNet of MMRotate. Source: Lin et al., Focal Loss for Dense Object Detection, ICCV
// 2017; Zhou et al., MMRotate, ACM MM 2022.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "lib/config/config.h"
#include "models/detector.h"
#include "models/mmrotate/detection.h"

namespace grasppanda::models::mmrotate::rotated_retinanet {

const Blueprint& blueprint();
std::vector<ExpectedTensor> expected_tensors(const config::Config* config,
                                             std::span<const io::NamedArray> tensors);
bool recognises(std::span<const io::NamedArray> tensors);
std::unique_ptr<Detector> load(const config::Config& config, const io::Checkpoint& checkpoint,
                               const at::Device& device);

/// One level as candidates are taken from it. `logits` and `deltas`: (1, 9 K, H, W), (1, 45, H, W).
DenseLevel level_of(const at::Tensor& logits, const at::Tensor& deltas, std::int64_t stride,
                    const PictureSize& size, AngleConvention convention, Line line);

}  // namespace grasppanda::models::mmrotate::rotated_retinanet
