// The CUDA kernels themselves, compiled for the CPU (tests/support/cuda_emulation.h).
#pragma once

#include "lib/ops/cuda_module.h"

namespace grasppanda::tests {

ops::CudaFunctions emulated_cuda_functions();

}  // namespace grasppanda::tests
