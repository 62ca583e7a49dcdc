// What the LibTorch that is loaded says about its own build.
#pragma once

#include <string>

namespace grasppanda::app {

/// "2.11.0"
std::string libtorch_version();
/// The CUDA version that it was built for, "13.0"; empty for a build without CUDA.
std::string libtorch_cuda_version();

}  // namespace grasppanda::app
