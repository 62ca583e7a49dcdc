// lib/ops/cuda_module.recipe: what the CUDA library is made of, and the command that makes it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/commands/cuda_toolkit.h"

namespace grasppanda::app {

struct CudaModuleRecipe {
  std::filesystem::path root;  // of the sources
  std::vector<std::string> sources, headers, flags;
  std::vector<int> architectures;  // machine code for these where nvcc knows them
  std::string revision;            // of all these files together
};

/// The sources beside an installed program (../share/grasppanda/sources seen from the library),
/// else those of the build tree. Throws io::FormatError where neither is there or a file is
/// missing.
CudaModuleRecipe read_cuda_module_recipe(const std::filesystem::path& library);

/// What nvcc is to make: "7.5;8.0+PTX".
struct CudaArchitectures {
  std::vector<std::string> code, intermediate;  // "75", "90a"
  std::string text() const;                     // "75+PTX 80 86"
};
/// `list` is TORCH_CUDA_ARCH_LIST; empty: what the recipe wants and the toolkit knows, and PTX of
/// the oldest of them. Throws UsageError for a list that cannot be read.
CudaArchitectures settle_architectures(const CudaModuleRecipe& recipe, const CudaToolkit& toolkit,
                                       const std::string& list);

/// The words of the command that compiles and links everything into `output`.
std::vector<std::string> compile_command(const CudaModuleRecipe& recipe, const CudaToolkit& toolkit,
                                         const CudaArchitectures& architectures,
                                         const std::filesystem::path& output);

}  // namespace grasppanda::app
