// RoI Transformer of MMRotate. Source: Ding et al., Learning RoI Transformer for Oriented Object
// Detection in Aerial Images, CVPR 2019; Zhou et al., MMRotate, ACM MM 2022.
#pragma once

#include "models/mmrotate/detection.h"

namespace grasppanda::models::mmrotate::roi_transformer {

const Blueprint& blueprint();

}  // namespace grasppanda::models::mmrotate::roi_transformer
