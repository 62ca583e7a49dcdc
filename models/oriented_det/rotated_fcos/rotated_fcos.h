// Rotated FCOS of oriented-det. Source: Tian et al., FCOS: Fully Convolutional One-Stage Object
// Detection, ICCV 2019.
#pragma once

#include "models/oriented_det/detection.h"

namespace grasppanda::models::oriented_det::rotated_fcos {

const Blueprint& blueprint();

}  // namespace grasppanda::models::oriented_det::rotated_fcos
