// THE list of commands: parser, help, completion and docs/cli.md are made from it.
#include <algorithm>
#include <array>
#include <string>

#include "app/completion.h"
#include "app/config_command.h"
#include "app/docs_command.h"
#include "app/option_list.h"
#include "app/report_error.h"
#include "app/train_command.h"
#include "lib/config/config_error.h"
#include "lib/config/suggest.h"
#include "lib/ops/operator_names.h"

namespace grasppanda::app {

namespace {

void check_infer(const Invocation& invocation) {
  const bool depth = invocation.has("--depth");
  if (invocation.has("--resume")) {
    const std::vector<std::string> set = invocation.all("--set");
    const bool moved = std::any_of(set.begin(), set.end(), [](const std::string& text) {
      return text.starts_with("output.dir=");
    });
    if (invocation.has("--out") || moved)
      throw UsageError("infer: " + std::string(moved ? "output.dir" : "--out") +
                       " cannot be given with --resume: the run stays in its directory");
  }
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

void check_test(const Invocation& invocation) {
  if (invocation.has("--compare")) return;
  if (!invocation.arguments.empty())
    throw UsageError("test: '" + config::printable(invocation.arguments.front()) +
                     "' stands alone; run directories go together with --compare");
  if (!invocation.has("--data"))
    throw UsageError("test: no data set; name its root folder with --data ROOT");
  if (!invocation.has("--predictions") && !invocation.has("--config"))
    throw UsageError(
        "test: nothing to evaluate; give --predictions DIR, or a model to run with -c CONFIG");
}

void check_ops_run(const Invocation& invocation) {
  const std::size_t given = invocation.arguments.size();
  if (!invocation.has("--cases") && given < 3)
    throw UsageError("ops run: wants NAME IN.npz OUT.npz, or --cases FOLDER OUT.npz");
  if (invocation.has("--cases") && given != 1)
    throw UsageError("ops run: with --cases FOLDER wants exactly one more path, OUT.npz; got " +
                     std::to_string(given));
  if (invocation.has("--cases")) return;
  const std::string& name = invocation.arguments.front();
  if (ops::find_operator_description(name) != nullptr) return;
  const std::vector<std::string> known = operator_words();
  const std::vector<std::string_view> names(known.begin(), known.end());
  const std::string meant = config::did_you_mean(name, names);
  throw UsageError("ops run: unknown operator '" + config::printable(name) + "'" +
                   (meant.empty() ? "; 'grasppanda help ops run' lists the operators" : meant));
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

std::vector<OptionRecord> config_options() {
  return options({config_option(), checkpoint_option(), set_option(), device_option(true),
                  threads_option(true), seed_option(), out_option(), json_option()},
                 logging_options(false));
}

const std::vector<CommandRecord>& records() {
  static const std::vector<CommandRecord> all = {
      {.name = "infer",
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
       .check = check_infer},
      {.name = "test",
       .usage = "[-c CONFIG] --data ROOT [--predictions DIR] [options]\n       grasppanda test "
                "--compare RUN_DIR RUN_DIR...",
       .help = "evaluate a model, or stored predictions, on a data set",
       .description = "Evaluate predictions against the truth of a data set: run a model and\n"
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
                    "grasppanda test --compare runs/test/a runs/test/b"},
       .config = ConfigFrom::option,
       .check = check_test},
      {.name = "dota split",
       .usage = "ROOT OUT [options]",
       .help = "cut a DOTA set into tiles with labels",
       .description =
           "Cut every picture of ROOT/images into tiles, with the labels of ROOT/labelTxt\n"
           "if they are there, by the rules of the DOTA development kit. OUT is a new\n"
           "folder of the same kind; tiles are called IMAGE__RATE__X___Y.",
       .arguments = {{.name = "ROOT", .help = "folder with images/", .offers = Offers::folders},
                     {.name = "OUT", .help = "new folder", .offers = Offers::folders}},
       .options = options({{.name = "--size",
                            .value = "N",
                            .group = Group::how,
                            .help = "side of a tile, pixels",
                            .fallback = "1024",
                            .least = 1},
                           {.name = "--gap",
                            .value = "N",
                            .group = Group::how,
                            .help = "overlap of neighbouring tiles, pixels",
                            .fallback = "200",
                            .least = 0},
                           {.name = "--rate",
                            .value = "S[,S...]",
                            .group = Group::how,
                            .help = "scale the pictures first; repeatable",
                            .more = "Bicubic. The name of a tile holds the number as it is typed.",
                            .fallback = "1.0",
                            .repeatable = true},
                           threads_option(false)},
                          logging_options(true)),
       .examples = {"grasppanda dota split DOTA/val DOTA/val_1024",
                    "grasppanda dota split DOTA/train tiles --gap 500 --rate 0.5,1.0,1.5"}},
      {.name = "dota merge",
       .usage = "RESULTS OUT [options]",
       .help = "join result files of tiles to those of whole images",
       .description =
           "Join Task1_CLASS.txt (or Task2_CLASS.txt) files whose rows name tiles to files\n"
           "whose rows name images, by the rules of the DOTA development kit: corners are\n"
           "moved back, then of rows that overlap the best is kept.",
       .arguments = {{.name = "RESULTS",
                      .help = "folder of result files",
                      .offers = Offers::folders},
                     {.name = "OUT", .help = "new folder", .offers = Offers::folders}},
       .options = options({{.name = "--iou",
                            .value = "T",
                            .group = Group::how,
                            .help = "a row that overlaps a better one by more is dropped",
                            .fallback = "0.3"}},
                          logging_options(false)),
       .examples = {"grasppanda dota merge tile_results results",
                    "grasppanda dota merge tile_results results --iou 0.1"}},
      {.name = "env",
       .usage = "[--json]",
       .help = "versions, processor, devices, which backend each operator runs on",
       .description = "Show what this program is made of and what it found on this machine:\n"
                      "versions, processor, devices, and the backend each operator settled on.",
       .options = options({json_option()}, logging_options(false)),
       .examples = {"grasppanda env", "grasppanda env --json > env.json",
                    "GRASPPANDA_OPS=reference grasppanda env"},
       .json_schema = "grasppanda.env/1"},
      {.name = "config show",
       .usage = "CONFIG [options]",
       .help = "the effective configuration, with the origin of every value",
       .description =
           "Print the effective configuration: every key, defaults filled in, each with\n"
           "where its value came from. The output is a config itself.",
       .arguments = {{.name = "CONFIG",
                      .least = 0,
                      .help = "run config (YAML); or with -c",
                      .offers = Offers::configs}},
       .options = config_options(),
       .examples = {"grasppanda config show configs/contact_graspnet.yaml",
                    "grasppanda config show run.yaml --set postprocess.top_k=50 > run50.yaml"},
       .json_schema = "grasppanda.config/1",
       .config = ConfigFrom::argument,
       .run = run_config_show},
      {.name = "config validate",
       .usage = "CONFIG [options]",
       .help = "check a configuration; every error with line and column",
       .description =
           "Check a configuration as a whole; says every error with line, column and the\n"
           "nearest valid key. Files that it names are not opened.",
       .arguments = {{.name = "CONFIG",
                      .least = 0,
                      .help = "run config (YAML); or with -c",
                      .offers = Offers::configs}},
       .options = config_options(),
       .examples = {"grasppanda config validate run.yaml",
                    "grasppanda config validate run.yaml --set runtime.ops.knn=compiled"},
       .json_schema = "grasppanda.config/1",
       .config = ConfigFrom::argument,
       .run = run_config_validate},
      {.name = "checkpoint inspect",
       .usage = "FILE [--json] [--config CONFIG]",
       .help = "what a checkpoint holds and which model it fits",
       .description =
           "List the tensors of a checkpoint (key, shape, type, SHA-256), what lies beside\n"
           "them, which model they fit, what is missing or left over. Builds no network\n"
           "and executes nothing that is in the file.",
       .arguments = {{.name = "FILE", .help = "checkpoint: zip, legacy pickle or safetensors"}},
       .options = options({config_option(), set_option(), json_option()}, logging_options(false)),
       .examples = {"grasppanda checkpoint inspect contact_graspnet.pth",
                    "grasppanda checkpoint inspect weights.tar --json | jq .fits"},
       .json_schema = "grasppanda.checkpoint/1",
       .config = ConfigFrom::option},
      {.name = "checkpoint convert",
       .usage = "FILE OUT.safetensors",
       .help = "the model's tensors as safetensors",
       .description = "Write the model's tensors of a checkpoint as safetensors.",
       .arguments = {{.name = "FILE", .help = "checkpoint: zip, legacy pickle or safetensors"},
                     {.name = "OUT", .help = "file to write (.safetensors)"}},
       .options = logging_options(false),
       .examples = {"grasppanda checkpoint convert weights.pth weights.safetensors",
                    "grasppanda checkpoint convert model.tar model.safetensors -v"}},
      {.name = "ops run",
       .usage = "NAME IN.npz... OUT [options]\n       grasppanda ops run --cases FOLDER OUT.npz "
                "[options]",
       .help = "one operator on stored arrays",
       .description =
           "Run one operator: every tensor and parameter is taken from IN.npz, the outputs\n"
           "go to OUT.npz (to a folder OUT where there are several inputs).",
       .arguments = {{.name = "NAME",
                      .least = 0,
                      .help = "operator: furthest_point_sample or fps, ball_query, ...",
                      .offers = Offers::operators},
                     {.name = "IN.npz", .least = 0, .most = -1, .help = "named arrays"},
                     {.name = "OUT", .least = 1, .help = "archive to write, or folder"}},
       .options =
           options({{.name = "--param",
                     .value = "K=V",
                     .group = Group::in,
                     .help = "set a parameter, over the one in IN.npz; repeatable",
                     .repeatable = true},
                    {.name = "--cases",
                     .value = "FOLDER",
                     .group = Group::in,
                     .help = "every case of a folder with cases.json, in one process",
                     .more = "The archive gets an array ID/NAME for each output and ID/error "
                             "for a case that was refused.",
                     .offers = Offers::folders},
                    {.name = "--backend",
                     .value = "BACKEND",
                     .group = Group::how,
                     .help = "auto, reference, compiled: speed only",
                     .more = "compiled where no compiled kernel passed its self-check ends the "
                             "program with status 4.",
                     .fallback = "auto",
                     .choices = {"auto", "reference", "compiled"}},
                    device_option(false),
                    threads_option(false)},
                   logging_options(true)),
       .examples = {"grasppanda ops run knn clouds.npz out.npz --param k=16",
                    "grasppanda ops run fps a.npz b.npz picks/ --backend reference",
                    "grasppanda ops run --cases cases/ results.npz --threads 2"},
       .check = check_ops_run},
      {.name = "ops bench",
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
                    "grasppanda ops bench --models --filter 'model/*'"}},
      {.name = "ops check",
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
       .json_schema = "grasppanda.check/1"},
      {.name = "ops build",
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
                    "TORCH_CUDA_ARCH_LIST='8.0;9.0+PTX' grasppanda ops build"}},
      {.name = "ops iou-error",
       .usage = "[options]",
       .help = "sampled against exact overlap of rotated boxes",
       .description =
           "Draw pairs of rotated boxes as oriented-det draws them, measure the sampled\n"
           "overlap against the exact one and print the error by category and by\n"
           "overlap.",
       .arguments = {{.name = "VALUE",
                      .least = 0,
                      .most = -1,
                      .help = "further spacings, as in --sweep-spacing 2 3 4",
                      .offers = Offers::nothing}},
       .options = options({{.name = "--pairs",
                            .value = "N",
                            .group = Group::in,
                            .help = "pairs of boxes, spread evenly over the categories",
                            .fallback = "1400",
                            .least = 1},
                           {.name = "--seed",
                            .value = "N",
                            .group = Group::in,
                            .help = "of NumPy's default_rng",
                            .fallback = "0",
                            .least = 0},
                           {.name = "--categories",
                            .value = "NAME,...",
                            .group = Group::in,
                            .help = "kinds of boxes; default all",
                            .more = "tiny_square, vehicle, small_square, medium_square, "
                                    "large_square, elongated, elongated_thin.",
                            .repeatable = true},
                           {.name = "--sweep-spacing",
                            .value = "PIXELS,...",
                            .group = Group::how,
                            .help = "one line for each target spacing of the samples",
                            .more = "Otherwise the spacing is 2 pixels, or what the "
                                    "ORIENTED_DET_* variables say.",
                            .repeatable = true},
                           threads_option(false)},
                          logging_options(true)),
       .examples = {"grasppanda ops iou-error",
                    "grasppanda ops iou-error --pairs 600 --categories vehicle",
                    "grasppanda ops iou-error --categories vehicle --sweep-spacing 2,3,4"}},
      {.name = "completion",
       .usage = "bash|zsh|fish",
       .help = "shell completion",
       .description = "Print a script that completes commands, options, config keys and values.",
       .arguments = {{.name = "SHELL",
                      .help = "bash, zsh or fish",
                      .choices = {"bash", "zsh", "fish"},
                      .offers = Offers::nothing}},
       .options = logging_options(false),
       .examples = {"source <(grasppanda completion bash)",
                    "grasppanda completion fish > ~/.config/fish/completions/grasppanda.fish"},
       .run = run_completion},
      {.name = "train",
       .usage = "",
       .help = "says that training is not part of this program",
       .description = "Training is not part of this program: it runs checkpoints that the public\n"
                      "projects trained. See docs/cli.md.",
       .options = logging_options(false),
       .examples = {"grasppanda help infer", "grasppanda checkpoint inspect weights.pth"},
       .run = run_train,
       .takes_anything = true},
      {.name = "docs",
       .usage = "cli|config",
       .help = "docs/cli.md and docs/config.md, from the lists",
       .description = "Print a page of the documentation.",
       .arguments = {{.name = "PAGE",
                      .help = "cli or config",
                      .choices = {"cli", "config"},
                      .offers = Offers::nothing}},
       .options = logging_options(false),
       .examples = {"grasppanda docs config > docs/config.md"},
       .run = run_docs,
       .hidden = true}};
  return all;
}

constexpr std::array<CommandGroup, 4> kGroups = {
    {{"dota", "tiles of DOTA images and their results"},
     {"config", "look at and check configurations"},
     {"checkpoint", "look into and convert weights"},
     {"ops", "the operators by themselves"}}};

constexpr std::array<std::string_view, 2> kLaterCommands = {"render", "merge"};

constexpr std::array<std::string_view, 2> kLaterOptions = {"--shard", "--watch"};

}  // namespace

std::span<const CommandRecord> command_list() {
  return records();
}

const CommandRecord* find_command(std::string_view name) {
  for (const CommandRecord& command : records())
    if (command.name == name) return &command;
  return nullptr;
}

std::span<const CommandGroup> command_groups() {
  return kGroups;
}

std::span<const std::string_view> later_commands() {
  return kLaterCommands;
}

std::span<const std::string_view> later_options() {
  return kLaterOptions;
}

}  // namespace grasppanda::app
