// nvcc on this machine: where it is, which version, and whether it fits LibTorch.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace grasppanda::app {

struct CudaToolkit {
  std::filesystem::path nvcc;      // absolute, links resolved
  std::string version;             // "13.0"
  std::string identity;            // changes when the compiler does: path and full version
  std::vector<int> architectures;  // that it makes machine code for, ascending: 75, 80, ...
};

/// Every nvcc that works, in this order: CUDA_HOME, PATH, /usr/local/cuda*.
std::vector<CudaToolkit> find_cuda_toolkits(const std::map<std::string, std::string>& environment);

/// LibTorch's CUDA version exactly, else the same major; the first of all where LibTorch has no
/// CUDA
/// (`wanted` is empty). Throws ops::BackendError naming what was found where none fits.
const CudaToolkit& choose_cuda_toolkit(const std::vector<CudaToolkit>& found,
                                       const std::string& wanted);

}  // namespace grasppanda::app
