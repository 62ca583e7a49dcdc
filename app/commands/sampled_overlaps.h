// Overlaps of the evaluation by samples, as `evaluation.use_exact_rotated_iou: false` asks for.
#pragma once

#include "lib/eval/detection_map.h"

namespace grasppanda::app {

/// sampled_iou on the CPU (which says what it returns). The number of samples follows from all
/// boxes of a call and from the ORIENTED_DET_* variables. Memory stays bounded whatever the call's
/// size. Throws ops::ArgumentError for a variable that is none of its values, at once.
eval::BoxOverlaps sampled_overlaps();

}  // namespace grasppanda::app
