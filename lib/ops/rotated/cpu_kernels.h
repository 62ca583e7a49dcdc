// The CPU kernels as entries of the operators' kernel lists: tensors in, tensors out.
#pragma once

#include "lib/ops/kernel.h"
#include "lib/ops/rotated/roi_align.h"
#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/rotated_nms.h"
#include "lib/ops/rotated/sampled_iou.h"
#include "lib/ops/rotated/sampled_nms.h"

namespace grasppanda::ops {

Kernel<RotatedIouFn> rotated_iou_cpu_kernel();
Kernel<RotatedNmsFn> rotated_nms_cpu_kernel();  // leaves: equality at a threshold of 0

Kernel<SampledIouFn> sampled_iou_cpu_kernel();
Kernel<SampledNmsFn> sampled_nms_cpu_kernel();
Kernel<RoiAlignFn> roi_align_cpu_kernel();

}  // namespace grasppanda::ops
