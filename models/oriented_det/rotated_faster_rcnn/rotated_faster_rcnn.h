// Rotated Faster R-CNN of oriented-det. Source: Ren et al., Faster R-CNN, NeurIPS 2015.
#pragma once

#include "models/oriented_det/detection.h"

namespace grasppanda::models::oriented_det::rotated_faster_rcnn {

const Blueprint& blueprint();

}  // namespace grasppanda::models::oriented_det::rotated_faster_rcnn
