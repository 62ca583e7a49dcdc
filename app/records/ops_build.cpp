#include "app/option_list.h"
#include "app/records/records.h"

namespace grasppanda::app {

CommandRecord ops_build_record() {
  return {
      .name = "ops build",
      .usage = "[options]",
      .help = "compile the CUDA kernels on this machine",
      .description =
          "Compile the CUDA kernels with this machine's nvcc, for a program that was built\n"
          "or installed without them. Prints where they are. Needs no GPU. Programs on a\n"
          "CUDA device do this by themselves on first use, unless GRASPPANDA_OPS_BUILD=0.",
      .options = options(
          {{.name = "--force",
            .group = Group::how,
            .help = "also where they are there, or could not be compiled before",
            .more = "nvcc is looked for in CUDA_HOME, PATH and /usr/local/cuda*; LibTorch's own "
                    "CUDA version first, then the same major. TORCH_CUDA_ARCH_LIST chooses the "
                    "architectures. The result goes to $GRASPPANDA_OPS_CACHE, else "
                    "$GRASPPANDA_CACHE/ops, else ~/.cache/grasppanda/ops.",
            .negated = "--no-force"},
           {.name = "--cpu-only",
            .group = Group::how,
            .help = "build nothing, say which CPU kernels the program has",
            .negated = "--no-cpu-only"}},
          logging_options(false)),
      .examples = {"grasppanda ops build", "CUDA_HOME=/opt/cuda-12.8 grasppanda ops build --force",
                   "TORCH_CUDA_ARCH_LIST='8.0;9.0+PTX' grasppanda ops build"}};
}

}  // namespace grasppanda::app
