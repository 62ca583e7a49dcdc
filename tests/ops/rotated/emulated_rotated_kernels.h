// The CUDA kernels of rotated boxes, compiled for the CPU (tests/support/cuda_emulation.h).
#pragma once

#include "lib/ops/rotated/cuda_kernels.h"

namespace grasppanda::tests {

ops::RotatedCudaKernels emulated_rotated_kernels();

}  // namespace grasppanda::tests
