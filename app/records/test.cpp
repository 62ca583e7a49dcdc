#include "app/option_list.h"
#include "app/records/records.h"
#include "app/report_error.h"
#include "lib/config/config_error.h"

namespace grasppanda::app {

namespace {

void check_test(const Invocation& invocation) {
  if (invocation.has("--compare")) return;
  if (!invocation.arguments.empty())
    throw UsageError("test: '" + config::printable(invocation.arguments.front()) +
                     "' stands alone; run directories go together with --compare");
  if (invocation.has("--resume")) {
    check_resumed(invocation);
    if (invocation.has("--predictions"))
      throw UsageError(
          "test: --resume goes on with a model's run; stored predictions are evaluated anew");
    return;
  }
  for (const char* option : {"--checkpoint", "--device", "--shard"})
    if (invocation.has(option) && invocation.has("--predictions"))
      throw UsageError("test: " + std::string(option) +
                       " is for a model that is run; with --predictions there is none");
  if (!invocation.has("--data"))
    throw UsageError("test: no data set; name its root folder with --data ROOT");
  if (!invocation.has("--predictions") && !invocation.has("--config"))
    throw UsageError(
        "test: nothing to evaluate; give --predictions DIR, or a model to run with -c CONFIG");
}

std::vector<OptionRecord> test_options() {
  return options(
      {config_option(),
       checkpoint_option(),
       {.name = "--data",
        .value = "ROOT",
        .group = Group::in,
        .help = "root of the data set; what it is gets told by its folders",
        .more = "GraspNet-1Billion (scenes/, models/): average precision of grasps. DOTA "
                "(labelTxt/): mean average precision of oriented boxes.",
        .offers = Offers::folders},
       {.name = "--predictions",
        .value = "DIR",
        .group = Group::in,
        .help = "evaluate what is there already; no model is run",
        .more = "Dumps (DIR/SCENE/CAMERA/VIEW.npy), Task1_CLASS.txt files, or a run directory.",
        .offers = Offers::folders},
       {.name = "--split",
        .value = "SPLIT",
        .group = Group::in,
        .help = "scenes of this part: seen, similar, novel, test, train, all",
        .fallback = "all",
        .choices = {"seen", "similar", "novel", "test", "train", "all"}},
       {.name = "--scenes",
        .value = "N[,N...]",
        .group = Group::in,
        .help = "only these scenes; 100-129 is a range; repeatable",
        .repeatable = true},
       {.name = "--cameras",
        .value = "NAME[,NAME]",
        .group = Group::in,
        .help = "only these cameras: kinect, realsense; repeatable",
        .repeatable = true},
       {.name = "--views",
        .value = "N[,N...]",
        .group = Group::in,
        .help = "only these views; 0-9 is a range; repeatable",
        .more = "Without it every view that has an annotation. Average precision is the mean over "
                "the views that are evaluated.",
        .repeatable = true},
       {.name = "--limit",
        .value = "N",
        .group = Group::in,
        .help = "only the first N views or images",
        .least = 1},
       shard_option(),
       {.name = "--iou",
        .value = "T[,T...]",
        .group = Group::how,
        .help = "overlaps at which a detection is right; repeatable",
        .more = "Figures of the first stand at the top of metrics.json, all of them under by_iou. "
                "Whose rules count says evaluation.convention (--set).",
        .fallback = "0.5",
        .repeatable = true},
       set_option(),
       device_option(true),
       threads_option(true),
       seed_option(),
       {.name = "--dry-run",
        .group = Group::how,
        .help = "check everything, run nothing, write nothing",
        .negated = "--no-dry-run"},
       out_option(),
       {.name = "--resume",
        .value = "RUN_DIR",
        .group = Group::out,
        .help = "go on with an interrupted run of a model; redoes nothing",
        .more = "Config, data set and selection are those that the run was begun with.",
        .offers = Offers::folders},
       {.name = "--details",
        .group = Group::out,
        .help = "also details.jsonl: one line for each grasp that counts",
        .negated = "--no-details"},
       {.name = "--compare",
        .value = "RUN_DIR",
        .group = Group::out,
        .help = "show the metrics of this and further run directories side by side",
        .more = "The other run directories follow as arguments. Nothing is evaluated.",
        .repeatable = true,
        .offers = Offers::folders}},
      logging_options(true));
}

}  // namespace

CommandRecord test_record() {
  return {.name = "test",
          .usage =
              "[-c CONFIG] --data ROOT [--predictions DIR] [options]\n       grasppanda test "
              "--compare RUN_DIR RUN_DIR...",
          .help = "evaluate a model, or stored predictions, on a data set",
          .description =
              "Evaluate predictions against the truth of a data set: run a model and\n"
              "evaluate, or evaluate predictions that are there already.",
          .arguments = {{.name = "RUN_DIR",
                         .least = 0,
                         .most = -1,
                         .help = "with --compare: further run directories",
                         .offers = Offers::folders}},
          .options = test_options(),
          .examples = {"grasppanda test --data graspnet --predictions dumps --split seen",
                       "grasppanda test -c run.yaml --data graspnet --cameras realsense",
                       "grasppanda test --data dota --predictions results --iou 0.5,0.75",
                       "grasppanda test --resume runs/test/gsnet-20260102-030405",
                       "grasppanda test --compare runs/test/a runs/test/b"},
          .config = ConfigFrom::option,
          .check = check_test};
}

}  // namespace grasppanda::app
