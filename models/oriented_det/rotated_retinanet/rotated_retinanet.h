// Rotated RetinaNet of oriented-det. Source: Lin et al., Focal Loss for Dense Object Detection,
// ICCV 2017.
#pragma once

#include "models/oriented_det/detection.h"

namespace grasppanda::models::oriented_det::rotated_retinanet {

const Blueprint& blueprint();

}  // namespace grasppanda::models::oriented_det::rotated_retinanet
