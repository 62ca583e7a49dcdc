// The CPU kernels as entries of the operators' kernel lists: tensors in, tensors out.
#pragma once

#include "lib/ops/kernel.h"
#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/rotated_nms.h"

namespace grasppanda::ops {

Kernel<RotatedIouFn> rotated_iou_cpu_kernel();
Kernel<RotatedNmsFn> rotated_nms_cpu_kernel();  // leaves: equality at a threshold of 0

}  // namespace grasppanda::ops
