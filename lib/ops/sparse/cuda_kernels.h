// The CUDA kernels of sparse tensors: tensors in, tensors out.
#pragma once

#include <functional>

#include "lib/ops/cuda_module.h"
#include "lib/ops/kernel.h"
#include "lib/ops/sparse/kernel_map_pyramid.h"
#include "lib/ops/sparse/sparse_convolution.h"

namespace grasppanda::ops {

/// Work is queued on LibTorch's current stream of the tensors' device.
struct SparseCudaKernels {
  /// float32 of contiguous channels; other calls are the reference's. A map of pairs becomes a
  /// table at every call: give it those of a pyramid.
  Kernel<SparseConvolutionFn> sparse_convolution;
  /// The pyramid of coords (N, 4) int32 on the device that they lie on. Waits for the device once a
  /// level, to know how many rows it has.
  std::function<KernelMapPyramid(const at::Tensor& coords, int halvings)> kernel_maps;
};

/// Those of the process, from the module that is opened on the first use.
SparseCudaKernels sparse_cuda_kernels();

/// Those of functions of one's own choice, missing nowhere: for tests.
SparseCudaKernels sparse_cuda_kernels_of(const CudaFunctions& functions);

/// The first difference of pyramids made on a device from those of the CPU; empty if none.
std::string check_kernel_maps(const SparseCudaKernels& kernels, c10::Device device);

}  // namespace grasppanda::ops
