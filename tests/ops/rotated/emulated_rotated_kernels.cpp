#include "tests/support/cuda_emulation.h"
// The kernels, behind what makes them C++.
#include "lib/ops/rotated/box_frames_cuda.cu"
#include "lib/ops/rotated/roi_align_cuda.cu"
#include "lib/ops/rotated/rotated_iou_cuda.cu"
#include "lib/ops/rotated/rotated_nms_cuda.cu"
#include "lib/ops/rotated/sampled_iou_cuda.cu"
#include "tests/ops/rotated/emulated_rotated_kernels.h"

namespace grasppanda::tests {

ops::RotatedCudaKernels emulated_rotated_kernels() {
  ops::CudaFunctions functions;
  functions.rotated_iou = grasppanda_cuda_rotated_iou;
  functions.rotated_nms = grasppanda_cuda_rotated_nms;
  functions.sampled_iou = grasppanda_cuda_sampled_iou;
  functions.sampled_mask = grasppanda_cuda_sampled_mask;
  functions.roi_align = grasppanda_cuda_roi_align;
  return ops::rotated_cuda_kernels_of(functions);
}

}  // namespace grasppanda::tests
