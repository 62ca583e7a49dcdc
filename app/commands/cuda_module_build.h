// Compiles the CUDA library into the cache: `ops build`, and `auto` on the first use of a CUDA
// device.
#pragma once

#include <filesystem>
#include <map>
#include <string>

#include "app/invocation.h"

namespace grasppanda::app {

/// The library in the cache, built if need be: not where it is there already for the architectures
/// that are wanted, unless `force`. A build that failed is not tried again by the same compiler,
/// unless `force`. Two processes build once. Throws ops::BackendError with the reason in one
/// sentence, UsageError or io::FormatError where settings or folders are wrong.
std::filesystem::path build_cuda_module(const std::map<std::string, std::string>& environment,
                                        bool force);

/// The library that lies beside this one, built or not.
std::filesystem::path cuda_module_beside_library();

/// Tells lib/ops where the library may be, and to build it on the first use of a CUDA device unless
/// GRASPPANDA_OPS_BUILD is 0.
void set_up_cuda_module(const Invocation& invocation);

}  // namespace grasppanda::app
