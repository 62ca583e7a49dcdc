// Oriented R-CNN of MMRotate. Source: Xie et al., Oriented R-CNN for Object Detection, ICCV 2021;
// Zhou et al., MMRotate, ACM MM 2022.
#pragma once

#include "models/mmrotate/detection.h"

namespace grasppanda::models::mmrotate::oriented_rcnn {

const Blueprint& blueprint();

}  // namespace grasppanda::models::mmrotate::oriented_rcnn
