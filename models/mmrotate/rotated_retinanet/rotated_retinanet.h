// Rotated RetinaNet of MMRotate. Source: Lin et al., Focal Loss for Dense Object Detection, ICCV
// 2017; Zhou et al., MMRotate, ACM MM 2022.
#pragma once

#include "models/mmrotate/detection.h"

namespace grasppanda::models::mmrotate::rotated_retinanet {

const Blueprint& blueprint();

/// One level as candidates are taken from it. `logits` and `deltas`: (1, 9 K, H, W), (1, 45, H, W);
/// `anchors_of`: the line whose rules for anchors count.
DenseLevel level_of(const at::Tensor& logits, const at::Tensor& deltas, std::int64_t stride,
                    const PictureSize& size, AngleConvention convention, Line anchors_of);

}  // namespace grasppanda::models::mmrotate::rotated_retinanet
