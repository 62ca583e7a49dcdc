// The CUDA kernels as entries of the operators' kernel lists: tensors in, tensors out.
#pragma once

#include "lib/ops/cuda_module.h"
#include "lib/ops/kernel.h"
#include "lib/ops/rotated/roi_align.h"
#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/rotated_nms.h"
#include "lib/ops/rotated/sampled_iou.h"
#include "lib/ops/rotated/sampled_nms.h"

namespace grasppanda::ops {

/// Work is queued on LibTorch's current stream of the tensors' device.
struct RotatedCudaKernels {
  Kernel<RotatedIouFn> rotated_iou;
  Kernel<RotatedNmsFn> rotated_nms;  // leaves: equality at a threshold of 0
  Kernel<SampledIouFn> sampled_iou;  // leaves: 2^30 samples or more
  Kernel<SampledNmsFn> sampled_nms;  // likewise, and more than 2^14 boxes
  Kernel<RoiAlignFn> roi_align;
};

/// Those of the process, from the module that is opened on the first use.
RotatedCudaKernels rotated_cuda_kernels();

/// Those of functions of one's own choice, missing nowhere: for tests.
RotatedCudaKernels rotated_cuda_kernels_of(const CudaFunctions& functions);

}  // namespace grasppanda::ops
