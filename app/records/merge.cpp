#include "app/option_list.h"
#include "app/records/records.h"
#include "app/report_error.h"

namespace grasppanda::app {

namespace {

void check_merge(const Invocation& invocation) {
  if (!invocation.has("--out"))
    throw UsageError("merge: no place for the merged run; name a new folder with --out DIR");
}

}  // namespace

CommandRecord merge_record() {
  return {.name = "merge",
          .usage = "RUN_DIR... --out DIR [options]",
          .help = "join the runs of several shards to one",
          .description =
              "Join run directories that were made with --shard I/N (or of different inputs)\n"
              "by infer or test with one configuration and the same weights. The result is a\n"
              "run directory as one process would have made it; predictions of test are\n"
              "evaluated. The runs that are joined stay as they are.",
          .arguments = {{.name = "RUN_DIR",
                         .most = -1,
                         .help = "finished runs, all parts of one list",
                         .offers = Offers::folders}},
          .options = options({{.name = "--out",
                               .value = "DIR",
                               .group = Group::out,
                               .help = "the merged run directory itself, a new folder",
                               .offers = Offers::folders}},
                             logging_options(true)),
          .examples = {"grasppanda merge runs/infer/gsnet-* --out runs/infer/all",
                       "grasppanda merge part0/test/* part1/test/* --out runs/test/all"},
          .config = ConfigFrom::run_argument,
          .check = check_merge};
}

}  // namespace grasppanda::app
