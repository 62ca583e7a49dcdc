#include <string>

#include "app/option_list.h"
#include "app/records/records.h"
#include "app/report_error.h"

namespace grasppanda::app {

namespace {

void check_infer(const Invocation& invocation) {
  const bool depth = invocation.has("--depth");
  if (invocation.has("--resume")) check_resumed(invocation);
  if (invocation.has("--points") && invocation.has("--sample-index"))
    throw UsageError(
        "infer: --sample-index cannot be given with --points: those are the network's input "
        "already, nothing is drawn from them");
  if (invocation.has("--color") && !depth)
    throw UsageError("infer: --color wants auto, always or never, got '" +
                     invocation.value("--color") +
                     "'; a colour image goes together with --depth FILE");
  if (invocation.arguments.empty() && !depth && !invocation.has("--points") &&
      !invocation.has("--resume"))
    throw UsageError(
        "infer: no input: give frames, clouds, images, folders or list files, or --depth "
        "or --points");
  if (depth && !invocation.arguments.empty())
    throw UsageError("infer: --depth is the whole input; '" + invocation.arguments.front() +
                     "' cannot be given besides");
}

OptionRecord infer_color_option() {
  return {.name = "--color",
          .value = "WHEN|FILE",
          .group = Group::logging,
          .help = "colour messages: auto, always, never; or the colour image of --depth",
          .more =
              "The three words say when messages are coloured (auto: on a terminal, unless "
              "NO_COLOR is set or TERM is 'dumb'). Anything else is the colour image that "
              "belongs to --depth FILE; a file that is called like one of the words is written "
              "./auto. Both may be given: --color never --color color.png.",
          .fallback = "auto",
          .choices = {"auto", "always", "never"},
          .open_choices = true,
          .repeatable = true,
          .offers = Offers::files};
}

std::vector<OptionRecord> infer_options() {
  std::vector<OptionRecord> all = options(
      {config_option(),
       checkpoint_option(),
       {.name = "--depth",
        .value = "FILE",
        .group = Group::in,
        .help = "a depth image without meta; with --color FILE and --intrinsics",
        .more = "16-bit PNG or .npy. Together with --intrinsics, the depth scale of the config "
                "(--set input.depth.scale=1000) and, for pictures, --color FILE.",
        .offers = Offers::files},
       {.name = "--intrinsics",
        .value = "FILE|FX,FY,CX,CY",
        .group = Group::in,
        .help = "camera of the depth image, pixels",
        .more = "A .mat, .json, .npy or .yaml file, or four numbers with commas.",
        .key = "input.intrinsics",
        .offers = Offers::files},
       {.name = "--points",
        .value = "FILE",
        .group = Group::in,
        .help = "the network's input itself, a cloud of M points; repeatable",
        .more =
            "Any file of a cloud (.npy, .npz, .ply, .pcd, .xyz). No mask, table fit, centring or "
            "sampling is done; results are in the frame of these points.",
        .repeatable = true,
        .offers = Offers::files},
       {.name = "--sample-index",
        .value = "FILE",
        .group = Group::in,
        .help = "rows of the masked cloud (.npy) in place of the random draw",
        .offers = Offers::files},
       {.name = "--array",
        .value = "NAME",
        .group = Group::in,
        .help = "which array of an .npz cloud"},
       {.name = "--index",
        .value = "I",
        .group = Group::in,
        .help = "which cloud of a stack of clouds, from 0",
        .least = 0},
       {.name = "--limit",
        .value = "N",
        .group = Group::in,
        .help = "only the first N inputs",
        .least = 1},
       shard_option(),
       set_option(),
       device_option(true),
       threads_option(true),
       seed_option(),
       {.name = "--dry-run",
        .group = Group::how,
        .help = "check everything, run nothing, write nothing",
        .more = "Config, inputs, names and shapes of the weights, device and backends.",
        .negated = "--no-dry-run"},
       out_option(),
       {.name = "--resume",
        .value = "RUN_DIR",
        .group = Group::out,
        .help = "go on with an interrupted run; redoes nothing",
        .more = "Without -c the run's own config.yaml is used.",
        .offers = Offers::folders},
       {.name = "--stages",
        .value = "DIR",
        .group = Group::out,
        .help = "write every stage of every input as DIR/NAME/STAGE.npy",
        .offers = Offers::folders}},
      logging_options(true));
  for (OptionRecord& option : all)
    if (option.name == "--color") option = infer_color_option();
  return all;
}

}  // namespace

CommandRecord infer_record() {
  return {
      .name = "infer",
      .usage = "-c CONFIG [INPUT...] [options]",
      .help = "run a model on frames, clouds or aerial images, write a run directory",
      .description =
          "Run a model on recorded frames or clouds (grasps) or on aerial images (oriented\n"
          "boxes) and write a run directory. The last line on standard output is the run\n"
          "directory. Images must have the ground resolution that the model was trained\n"
          "with, and red, green, blue in this order: else it finds nothing or nonsense.",
      .arguments = {{.name = "INPUT",
                     .least = 0,
                     .most = -1,
                     .help = "frames, clouds, images, folders, list files; '-': list on stdin"}},
      .options = infer_options(),
      .examples = {"grasppanda infer -c configs/contact_graspnet.yaml --checkpoint w.pth frame/",
                   "grasppanda infer -c run.yaml scene_0100/realsense --limit 10 --out results",
                   "grasppanda infer -c run.yaml --set runtime.ops.fps=reference cloud.ply",
                   "grasppanda infer -c configs/yolo_obb/yolov8.yaml --checkpoint w.pt images/",
                   "grasppanda infer --resume runs/infer/contact_graspnet-20260102-030405"},
      .config = ConfigFrom::required_option,
      .check = check_infer};
}

}  // namespace grasppanda::app
