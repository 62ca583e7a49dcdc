#include "app/option_list.h"
#include "app/records/records.h"

namespace grasppanda::app {

CommandRecord ops_bench_record() {
  return {
      .name = "ops bench",
      .usage = "[options]",
      .help = "time the operators, reference and compiled side by side",
      .description =
          "Time every case on the reference and on the compiled kernels, back to back in\n"
          "one process: minimum, median and the median of the ratios of the pairs. The\n"
          "results of both are compared first. The largest cases take minutes.",
      .options = options(
          {{.name = "--filter",
            .value = "GLOB",
            .group = Group::in,
            .help = "only cases called like this: 'fps/*', 'knn/*,*/b4'",
            .more = "'*' stands for any text, also with '/' in it, '?' for one character; several "
                    "globs with commas."},
           {.name = "--models",
            .group = Group::in,
            .help = "also the models, at batch 1 and 4",
            .more = "Needs no files: weights of the real shapes and the cloud are made in the "
                    "program.",
            .negated = "--no-models"},
           {.name = "--runs",
            .value = "N",
            .group = Group::how,
            .help = "pairs of runs per case; 0: three, more where they are quick",
            .fallback = "0",
            .least = 0},
           device_option(false),
           threads_option(false),
           {.name = "--json",
            .value = "FILE",
            .group = Group::out,
            .help = "write the figures, the machine and the versions as JSON",
            .offers = Offers::files}},
          logging_options(false)),
      .examples = {"grasppanda ops bench --threads 2 --json bench.json",
                   "grasppanda ops bench --filter 'knn/*,ball_query/1024x20000/*' --runs 20",
                   "grasppanda ops bench --models --filter 'model/*'"}};
}

}  // namespace grasppanda::app
