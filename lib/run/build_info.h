// What this binary was built from and how: the answer to --version and the build part of env.json.
// A room of its own (room_build_info): the small program and libgrasppanda.so both carry it.
#pragma once

#include <string>

namespace grasppanda::run {

struct BuildInfo {
  std::string version;             // "0.1.0"
  std::string commit;              // 40 hex digits, "-modified" behind them when the tree was
                                   // changed; "unknown" when not built from a git checkout
  std::string compiler;            // "GNU 12.2.0"
  std::string build_type;          // "Release"
  std::string flags;               // compile flags that every file of ours gets
  std::string cuda_architectures;  // "90;100"; empty: no CUDA kernels were built
  std::string libtorch_version;    // of the headers that were compiled against, "2.11.0"
  std::string cxx11_abi;           // "1" or "0", LibTorch's _GLIBCXX_USE_CXX11_ABI
};

BuildInfo build_info();

}  // namespace grasppanda::run
