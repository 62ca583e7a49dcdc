// The CUDA kernels of sparse tensors, compiled for the CPU (tests/support/cuda_emulation.h).
#pragma once

#include "lib/ops/cuda_module.h"

namespace grasppanda::tests {

/// Only the functions of sparse tensors are there.
ops::CudaFunctions emulated_sparse_cuda_functions();

}  // namespace grasppanda::tests
