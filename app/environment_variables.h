// The only file pair that reads environment variables (rotated operators' sampling settings apart).
#pragma once

#include <map>
#include <string>
#include <vector>

namespace grasppanda::app {

/// The variables that this program knows: GRASPPANDA_*, SLURM_ARRAY_*, NO_COLOR, TERM, HOME, PATH,
/// CUDA_HOME, TORCH_CUDA_ARCH_LIST.
std::map<std::string, std::string> read_environment();

/// Every variable as NAME=value: what a program that we start gets to see, unread by us.
std::vector<std::string> whole_environment();

}  // namespace grasppanda::app
