#include "lib/ops/cuda_devices.h"

#include <ATen/Context.h>
#include <ATen/detail/CUDAHooksInterface.h>
#include <dlfcn.h>

namespace grasppanda::ops {
namespace {

struct Answer {
  int count = 0;
  std::string why;
};

Answer ask() {
  void* driver = ::dlopen("libcuda.so.1", RTLD_LAZY);
  if (driver == nullptr) return {0, "no CUDA driver on this machine (libcuda.so.1 is not found)"};
  // Found in the folder of the LibTorch that is linked; its symbols join the others as if it were.
  if (::dlopen("libtorch_cuda.so", RTLD_NOW | RTLD_GLOBAL) == nullptr) {
    const char* error = ::dlerror();
    return {0, std::string("this LibTorch has no CUDA part that can be opened: ") +
                   (error == nullptr ? "libtorch_cuda.so" : error)};
  }
  if (!at::hasCUDA()) return {0, "LibTorch sees no CUDA device"};
  return {static_cast<int>(at::detail::getCUDAHooks().deviceCount()), {}};
}

const Answer& answer() {
  static const Answer answer = ask();
  return answer;
}

}  // namespace

int cuda_device_count() {
  return answer().count;
}

std::string why_no_cuda_device() {
  return answer().why;
}

}  // namespace grasppanda::ops
