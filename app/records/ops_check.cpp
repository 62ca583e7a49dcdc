#include "app/option_list.h"
#include "app/records/records.h"

namespace grasppanda::app {

CommandRecord ops_check_record() {
  return {.name = "ops check",
          .usage = "[options]",
          .help = "compare every kernel with the reference",
          .description =
              "Run the self-check of every kernel, then calls drawn from a seed, and compare\n"
              "them with the reference bit by bit; on the CPU in turn on every instruction set\n"
              "of this machine and with 1, 2 and 8 threads.",
          .options = options({{.name = "--runs",
                               .value = "N",
                               .group = Group::how,
                               .help = "random calls per kernel",
                               .fallback = "300",
                               .least = 0},
                              {.name = "--seed",
                               .value = "N",
                               .group = Group::how,
                               .help = "of the first random call",
                               .more = "A difference is reported with the seed of its call; --seed "
                                       "with that number and --runs 1 runs it again.",
                               .fallback = "1",
                               .least = 0},
                              device_option(false),
                              json_option()},
                             logging_options(false)),
          .examples = {"grasppanda ops check", "grasppanda ops check --device cuda --runs 5000",
                       "grasppanda ops check --seed 1841 --runs 1"},
          .json_schema = "grasppanda.check/1"};
}

}  // namespace grasppanda::app
