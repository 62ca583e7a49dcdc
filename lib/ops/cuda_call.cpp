#include "lib/ops/cuda_call.h"

#include <ATen/ATen.h>
#include <c10/core/impl/VirtualGuardImpl.h>

#include <cstdint>
#include <string>

#include "lib/ops/cuda_devices.h"
#include "lib/ops/errors.h"

namespace grasppanda::ops {
namespace {

// Older LibTorch does not tell the handle of a stream.
template <class Stream>
constexpr bool tells_handle = requires(const Stream& stream) {
  stream.native_handle();
};

template <class Stream>
void* handle_of(const Stream& stream) {
  if constexpr (tells_handle<Stream>)
    return stream.native_handle();
  else
    return nullptr;
}

}  // namespace

GrasppandaCudaPlace cuda_place_of(const at::Tensor& tensor) {
  if (!tensor.is_cuda()) return {0, nullptr};
  const c10::impl::VirtualGuardImpl devices(tensor.device().type());
  return {tensor.device().index(), handle_of(devices.getStream(tensor.device()))};
}

void require_cuda_success(const char* failure) {
  if (failure != nullptr) throw BackendError(std::string("a CUDA kernel did not run: ") + failure);
}

at::Tensor cuda_scratch(std::size_t bytes, const at::Tensor& like) {
  if (bytes == 0) return {};
  return at::empty({static_cast<std::int64_t>(bytes)}, like.options().dtype(at::kByte));
}

void* memory_of(const at::Tensor& scratch) {
  return scratch.defined() ? scratch.mutable_data_ptr() : nullptr;
}

Reason missing_cuda_module(c10::DeviceType device) {
  if (device != c10::kCUDA) return kForAnotherDevice;
  if (cuda_device_count() == 0) return why_no_cuda_device();
  if (!tells_handle<c10::Stream>)
    return "this LibTorch does not tell which CUDA stream it works on; newer ones do";
  return cuda_module().used().missing;
}

CudaFunctionsOf functions_of_cuda_module() {
  return []() -> const CudaFunctions& {
    // Also for a caller that did not ask whether they are missing.
    if (const Reason reason = missing_cuda_module(c10::kCUDA); !reason.empty())
      throw BackendError("no CUDA kernels: " + reason);
    return cuda_module().used().functions;
  };
}

}  // namespace grasppanda::ops
