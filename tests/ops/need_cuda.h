// Tests that want a GPU say so: skipped without one, a failure where GRASPPANDA_REQUIRE=cuda.
#pragma once

#include <cstdlib>
#include <string>

#include "lib/ops/cuda_devices.h"
#include "lib/ops/cuda_module.h"
#include "tests/catch.h"

namespace grasppanda::tests {

inline std::string why_not_on_cuda() {
  if (ops::cuda_device_count() == 0) return ops::why_no_cuda_device();
  return ops::cuda_module().used().missing;
}

inline bool cuda_is_required() {
  const char* required = std::getenv("GRASPPANDA_REQUIRE");
  return required != nullptr && std::string(required) == "cuda";
}

}  // namespace grasppanda::tests

#define GP_NEED_CUDA()                                               \
  const std::string why_not = grasppanda::tests::why_not_on_cuda();  \
  if (grasppanda::tests::cuda_is_required()) REQUIRE(why_not == ""); \
  if (!why_not.empty()) GP_SKIP("no CUDA kernels run here: " + why_not)
