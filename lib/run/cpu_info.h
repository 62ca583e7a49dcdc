// The processor of this machine, for env.json.
#pragma once

#include <string>
#include <vector>

namespace grasppanda::run {

struct CpuInfo {
  std::string model;                          // "Intel(R) Xeon(R) ..."; "unknown"
  int cores = 0;                              // that this process may run on
  std::vector<std::string> instruction_sets;  // seen: "sse4.2", "avx2", "fma", "avx512f", ...
};

CpuInfo cpu_info();

/// Cores that this process may run on (affinity mask), at least 1.
int available_cores();

}  // namespace grasppanda::run
