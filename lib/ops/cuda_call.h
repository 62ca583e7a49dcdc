// What every call into the CUDA module needs on the side of LibTorch: where it runs, memory to work
// in, what became of it.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/DeviceType.h>

#include <cstddef>
#include <functional>

#include "lib/ops/cuda_module.h"
#include "lib/ops/kernel.h"

namespace grasppanda::ops {

/// Where a kernel finds the functions of the module.
using CudaFunctionsOf = std::function<const CudaFunctions&()>;

/// LibTorch's current stream of the device that the tensor lies on; for a tensor on the CPU, where
/// the tests run the kernels, no stream.
GrasppandaCudaPlace cuda_place_of(const at::Tensor& tensor);

/// Throws BackendError unless `failure` is null.
void require_cuda_success(const char* failure);

/// Memory that a kernel works in; undefined for 0 bytes. It may be given back as soon as the kernel
/// is queued: LibTorch hands it out again on the same stream only.
at::Tensor cuda_scratch(std::size_t bytes, const at::Tensor& like);
/// Null for an undefined tensor.
void* memory_of(const at::Tensor& scratch);

/// Why no kernel of the module runs on such a device; empty where it does.
Reason missing_cuda_module(c10::DeviceType device);

/// The functions of the process's module, opened on the first use. Calling it where they are
/// missing throws BackendError.
CudaFunctionsOf functions_of_cuda_module();

}  // namespace grasppanda::ops
