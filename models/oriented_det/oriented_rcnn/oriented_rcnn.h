// Oriented R-CNN of oriented-det. Source: Xie et al., Oriented R-CNN for Object Detection, ICCV
// 2021.
#pragma once

#include "models/oriented_det/detection.h"

namespace grasppanda::models::oriented_det::oriented_rcnn {

const Blueprint& blueprint();

}  // namespace grasppanda::models::oriented_det::oriented_rcnn
