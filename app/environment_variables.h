// The only file pair that reads environment variables (rotated operators' sampling settings apart).
#pragma once

#include <map>
#include <string>

namespace grasppanda::app {

/// The variables that this program knows: GRASPPANDA_*, SLURM_ARRAY_*, NO_COLOR, TERM, HOME, PATH,
/// CUDA_HOME, TORCH_CUDA_ARCH_LIST.
std::map<std::string, std::string> read_environment();

}  // namespace grasppanda::app
