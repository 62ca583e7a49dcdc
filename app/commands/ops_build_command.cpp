// `grasppanda ops build`: the CUDA kernels, compiled by this machine's nvcc.
#include <iostream>
#include <system_error>

#include "app/commands/commands.h"
#include "app/commands/cuda_module_build.h"
#include "app/log.h"
#include "lib/ops/cpu_isa.h"
#include "lib/ops/cuda_module.h"

namespace grasppanda::app {

ExitCode run_ops_build(const Invocation& invocation) {
  const std::string library = ops::path_of_this_code();
  if (invocation.has("--cpu-only")) {
    std::string all;
    for (const std::string& isa : ops::available_cpu_isas()) all += (all.empty() ? "" : ", ") + isa;
    log_info("CPU kernels are part of the program: this machine runs " + all + " and uses " +
             ops::cpu_isa());
    std::cout << library << "\n";
    return ExitCode::done;
  }
  const std::filesystem::path beside = cuda_module_beside_library();
  std::error_code error;
  if (!invocation.has("--force") && std::filesystem::exists(beside, error) &&
      ops::open_cuda_module(beside.string()).missing.empty()) {
    log_info(
        "the program has its CUDA kernels already; --force compiles them anew, into the cache");
    std::cout << beside.string() << "\n";
    return ExitCode::done;
  }
  std::cout << build_cuda_module(invocation.environment, invocation.has("--force")).string()
            << "\n";
  return ExitCode::done;
}

}  // namespace grasppanda::app
