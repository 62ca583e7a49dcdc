// Rotated Faster R-CNN of MMRotate. Source: Ren et al., Faster R-CNN, NeurIPS 2015; Zhou et al.,
// MMRotate, ACM MM 2022.
#pragma once

#include "models/mmrotate/detection.h"

namespace grasppanda::models::mmrotate::rotated_faster_rcnn {

const Blueprint& blueprint();

}  // namespace grasppanda::models::mmrotate::rotated_faster_rcnn
