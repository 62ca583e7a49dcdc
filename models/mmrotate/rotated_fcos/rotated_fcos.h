// Rotated FCOS of MMRotate. Source: Tian et al., FCOS: Fully Convolutional One-Stage Object
// Detection, ICCV 2019; Zhou et al., MMRotate, ACM MM 2022.
#pragma once

#include "models/backbones/dense_head.h"
#include "models/mmrotate/detection.h"

namespace grasppanda::models::mmrotate::rotated_fcos {

const Blueprint& blueprint();

/// One level as candidates are taken from it.
DenseLevel level_of(const FcosOutput& output, std::int64_t stride, AngleConvention convention);

}  // namespace grasppanda::models::mmrotate::rotated_fcos
