#include "app/commands/cuda_module_build.h"

#include <unistd.h>

#include <chrono>
#include <cmath>
#include <exception>
#include <fstream>
#include <string>
#include <vector>

#include "app/commands/child_process.h"
#include "app/commands/cuda_module_cache.h"
#include "app/commands/cuda_module_recipe.h"
#include "app/commands/cuda_toolkit.h"
#include "app/commands/libtorch_facts.h"
#include "app/log.h"
#include "lib/ops/cuda_module.h"
#include "lib/ops/errors.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

// Measured with nvcc 13.0 on two cores of a 2.8 GHz Xeon: all architectures in under a minute.
constexpr const char* kEstimate = "about a minute";

const std::string kUnfinished = "unfinished-";

void start_log_file(const fs::path& log, const std::vector<std::string>& command) {
  std::ofstream file(log, std::ios::trunc);
  for (const std::string& word : command) file << word << ' ';
  file << "\n";
}

double seconds_since(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// Where nvcc writes. A name of this process alone: the nvcc of a build that was killed may still
/// be writing to that build's. What such builds left is removed; the folder is locked.
fs::path unfinished_file(const fs::path& folder) {
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error))
    if (entry.path().filename().string().starts_with(kUnfinished)) fs::remove(entry, error);
  return folder / (kUnfinished + std::to_string(::getpid()) + ".so");
}

/// With the folder locked.
fs::path compile(const fs::path& folder, const CudaModuleRecipe& recipe, const CudaToolkit& toolkit,
                 const CudaArchitectures& architectures) {
  const fs::path module = folder / ops::kCudaModuleFile, log = folder / "build.log",
                 aside = unfinished_file(folder);
  const auto command = compile_command(recipe, toolkit, architectures, aside);
  start_log_file(log, command);
  log_info("compiling the CUDA kernels with nvcc " + toolkit.version + " for " +
           architectures.text() + ", once: " + kEstimate);
  const auto start = std::chrono::steady_clock::now();
  const ChildResult result = run_child(command, log);
  CudaBuildRecord record{true, toolkit.identity, architectures.text(), seconds_since(start)};
  std::string failure;
  if (result.status != 0)
    failure = "nvcc ended with status " + std::to_string(result.status);
  else if (const ops::CudaModule made = ops::open_cuda_module(aside.string());
           !made.missing.empty())
    failure = made.missing;
  record.built = failure.empty();
  std::error_code error;
  if (record.built)
    fs::rename(aside, module);
  else
    fs::remove(aside, error);
  write_build_record(folder, record);
  if (!record.built)
    throw ops::BackendError("compiling the CUDA kernels failed: " + failure +
                            "; its words are in " + log.string());
  log_info("compiled the CUDA kernels in " + std::to_string(std::lround(record.seconds)) +
           " s: " + module.string());
  return module;
}

}  // namespace

fs::path cuda_module_beside_library() {
  return fs::path(ops::path_of_this_code()).parent_path() / ops::kCudaModuleFile;
}

fs::path build_cuda_module(const std::map<std::string, std::string>& environment, bool force) {
  const CudaModuleRecipe recipe = read_cuda_module_recipe(fs::path(ops::path_of_this_code()));
  if (recipe.revision != ops::cuda_source_revision())
    throw ops::BackendError("the CUDA sources in " + recipe.root.string() +
                            " are not those of this program (revision " + recipe.revision +
                            ", wants " + ops::cuda_source_revision() +
                            "); build or install grasppanda as a whole");
  const auto toolkits = find_cuda_toolkits(environment);
  const CudaToolkit& toolkit = choose_cuda_toolkit(toolkits, libtorch_cuda_version());
  const auto list = environment.find("TORCH_CUDA_ARCH_LIST");
  const CudaArchitectures architectures = settle_architectures(
      recipe, toolkit, list == environment.end() ? std::string() : list->second);

  const fs::path folder = cuda_cache_folder(environment), module = folder / ops::kCudaModuleFile;
  const BuildLock lock(
      folder, [] { log_info("another process compiles the CUDA kernels; waiting for it"); });
  if (!force) {
    const auto record = read_build_record(folder);
    const bool same = record && record->architectures == architectures.text();
    if (same && record->built && fs::exists(module)) {
      const ops::CudaModule kept = ops::open_cuda_module(module.string());
      if (kept.missing.empty()) return module;
      log_warning(kept.missing + "; compiling them anew");
    }
    if (same && !record->built && record->compiler == toolkit.identity)
      throw ops::BackendError("compiling the CUDA kernels failed before with the same nvcc; see " +
                              (folder / "build.log").string() +
                              ", and try again with 'grasppanda ops build --force'");
  }
  return compile(folder, recipe, toolkit, architectures);
}

void set_up_cuda_module(const Invocation& invocation) {
  ops::CudaModuleSource source;
  const std::map<std::string, std::string> environment = invocation.environment;
  source.files = [environment] {
    std::vector<std::string> files;
    try {  // one that was compiled here was wanted
      files.push_back((cuda_cache_folder(environment) / ops::kCudaModuleFile).string());
    } catch (const std::exception& error) {
      log_debug(error.what());
    }
    files.push_back(cuda_module_beside_library().string());
    return files;
  };
  const auto wanted = environment.find("GRASPPANDA_OPS_BUILD");
  if (wanted == environment.end() || wanted->second != "0")
    source.build = [environment]() -> ops::BuiltCudaModule {
      try {
        return {build_cuda_module(environment, false).string(), {}};
      } catch (const std::exception& error) {
        return {{}, error.what()};
      }
    };
  ops::cuda_module().set_source(std::move(source));
}

}  // namespace grasppanda::app
