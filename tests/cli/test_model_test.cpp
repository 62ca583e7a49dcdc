// `test` with a model: inference and evaluation in one go, going on with it, dry runs.
#include <fstream>

#include "app/config_layers.h"
#include "app/parser.h"
#include "tests/catch.h"
#include "tests/cli/infer_setup.h"
#include "tests/support/damaged_bytes.h"

namespace grasppanda::tests {
namespace {

namespace fs = std::filesystem;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using Json = nlohmann::ordered_json;

fs::path run_of(const fs::path& folder, const Finished& finished) {
  INFO(finished.err);
  REQUIRE(finished.out.ends_with('\n'));
  const std::string out = finished.out.substr(0, finished.out.size() - 1);
  return folder / out.substr(out.rfind('\n') + 1);
}

/// A tiny detector of random numbers, two pictures, and labels that it finds: every second of its
/// detections, so that half of them are wrong. Class names with hyphens, as DOTA has them.
class DetectorFolder {
 public:
  DetectorFolder(const fs::path& weights, const fs::path& pictures) {
    fs::create_symlink(weights, path() / "w.pt");
    fs::create_directories(path() / "set");
    fs::create_symlink(pictures, path() / "set/images");
    scratch_.file("run.yaml",
                  "model: {name: yolo_obb, checkpoint: w.pt}\nruntime: {threads: 1}\n"
                  "output: {formats: [dota, png]}\n");
    const fs::path run = run_of(path(), program({"infer", "-c", "run.yaml", "set/images"}));
    for (const std::string name : {"crop_a", "crop_b"}) write_labels(run, name);
  }
  const fs::path& path() const { return scratch_.path(); }
  Finished program(std::vector<std::string> arguments) const {
    arguments.emplace_back("--no-progress");
    return run_program(arguments, {.folder = path(), .limit = std::chrono::seconds(300)});
  }

 private:
  void write_labels(const fs::path& run, const std::string& name) const {
    std::string text = "imagesource:made\n";
    bool wanted = true;
    const Json predictions = json_file(run / ("predictions/" + name + ".json"));
    for (const Json& detection : predictions["detections"]) {
      if (wanted) {
        for (const Json& number : detection["corners"]) text += number.dump() + " ";
        std::string class_name = detection["class"];
        std::ranges::replace(class_name, ' ', '-');
        text += class_name + " 0\n";
      }
      wanted = !wanted;
    }
    scratch_.file("set/labelTxt/" + name + ".txt", text);
  }
  ScratchFolder scratch_;
};

/// Everything but how long it took.
Json figures(const fs::path& run) {
  Json metrics = json_file(run / "metrics.json");
  metrics.erase("seconds");
  metrics.erase("threads");
  return metrics;
}

}  // namespace

TEST_CASE("test: a detector and its stored predictions get the same numbers", "[cli][test]") {
  GP_NEED_DATA(weights, "goldens/yolo_obb/tiny_yolov8.pt");
  GP_NEED_DATA(pictures, "goldens/yolo_obb/tiny_images");
  const DetectorFolder folder(weights, pictures);
  const std::vector<std::string> one_go = {"test", "-c", "run.yaml", "--data", "set"};
  const Finished ran = folder.program(one_go);
  REQUIRE(ran.status == 0);
  CHECK(ran.err == "");
  CHECK_THAT(ran.out, StartsWith("IoU 0.5, rules of dota"));
  const fs::path run = run_of(folder.path(), ran);
  CHECK(run.parent_path() == folder.path() / "runs/test");
  const Json metrics = figures(run);
  CHECK(metrics["images"] == 2);
  const Json& vehicles = metrics["classes"]["large-vehicle"];
  CHECK(vehicles["gt"].get<int>() > 10);
  CHECK(vehicles["tp"] == vehicles["gt"]);  // the labels are its own boxes
  CHECK(vehicles["fp"].get<int>() > 10);
  CHECK(metrics["mAP_area"].get<double>() > 0.2);
  CHECK(metrics["mAP_area"].get<double>() < 1);
  for (const char* file :
       {"predictions/crop_a.json", "predictions/detections/Task1_ship.txt", "pictures/crop_a.png",
        "pictures/curves/large-vehicle.png", "curves/large-vehicle.csv"}) {
    CAPTURE(file);
    CHECK(fs::exists(run / file));
    const std::string manifest = read_bytes(run / "manifest.json");
    CHECK_THAT(manifest, Contains(std::string("\"") + file + "\""));
  }

  // The run directory, and every set of rules: the same as in one go.
  for (const std::string rules : {"dota", "devkit", "oriented_det", "mmrotate"}) {
    CAPTURE(rules);
    const std::string set = "evaluation.convention=" + rules;
    const Finished stored = folder.program(
        {"test", "--data", "set", "--predictions", run.string(), "--set", set, "--iou", "0.5,0.9"});
    std::vector<std::string> again = one_go;
    again.insert(again.end(), {"--set", set, "--iou", "0.5,0.9"});
    const Finished model = rules == "mmrotate" || rules == "dota" ? folder.program(again) : stored;
    REQUIRE(stored.status == 0);
    REQUIRE(model.status == 0);
    const Json wanted = figures(run_of(folder.path(), stored));
    CHECK(wanted["convention"] == rules);
    CHECK(figures(run_of(folder.path(), model)) == wanted);
    if (rules == "dota") {
      CHECK(wanted["mAP_area"] == metrics["mAP_area"]);
      CHECK(wanted["classes"] == metrics["classes"]);
    }
  }
  // The Task1 files of the run are the same boxes, rounded.
  const Finished task1 = folder.program(
      {"test", "--data", "set", "--predictions", (run / "predictions/detections").string()});
  REQUIRE(task1.status == 0);
  CHECK(figures(run_of(folder.path(), task1))["classes"]["large-vehicle"]["tp"] == vehicles["tp"]);
}

TEST_CASE("test: an interrupt in the evaluation that follows a model", "[cli][test]") {
  GP_NEED_DATA(weights, "goldens/yolo_obb/tiny_yolov8.pt");
  GP_NEED_DATA(pictures, "goldens/yolo_obb/tiny_images");
  const DetectorFolder folder(weights, pictures);
  std::string labels;
  for (int i = 0; i < 100'000; ++i) {
    labels += std::to_string(i % 7) + " 0 5000 0 5000 4000 0 4000 large-vehicle 0\n";
  }
  std::ofstream(folder.path() / "set/labelTxt/crop_a.txt") << labels;
  // The result files of all images are the last thing before the evaluation.
  const Finished stopped = run_shell(
      "set -m; \"$GRASPPANDA\" test -c run.yaml --data set --no-progress & until ls "
      "runs/test/*/predictions/detections/Task1_large-vehicle.txt >/dev/null 2>&1; do "
      "sleep 0.01; done; sleep 0.05; kill -INT $!; wait $!; echo status $?",
      {.folder = folder.path(), .limit = std::chrono::seconds(120)});
  INFO(stopped.err);
  CHECK_THAT(stopped.out, Contains("status 130"));
  CHECK_THAT(stopped.err, Contains("with 0 inputs to do; go on with: grasppanda test --resume"));
  const fs::path run = folder.path() / stopped.out.substr(0, stopped.out.find('\n'));
  CHECK(json_file(run / "summary.json")["status"] == "interrupted");
  CHECK_FALSE(fs::exists(run / "metrics.json"));
  const Finished resumed = folder.program({"test", "--resume", run.string()});
  INFO(resumed.err);
  CHECK(resumed.status == 0);
  CHECK(json_file(run / "summary.json")["status"] == "complete");
  CHECK(json_file(run / "metrics.json")["classes"]["large-vehicle"]["gt"] > 100'000);
}

TEST_CASE("test: sampled overlaps of detections", "[cli][test]") {
  GP_NEED_DATA(weights, "goldens/yolo_obb/tiny_yolov8.pt");
  GP_NEED_DATA(pictures, "goldens/yolo_obb/tiny_images");
  const DetectorFolder folder(weights, pictures);
  const std::vector<std::string> sampled = {
      "test", "-c", "run.yaml", "--data", "set", "--set", "evaluation.use_exact_rotated_iou=false"};
  const Finished ran = folder.program(sampled);
  REQUIRE(ran.status == 0);
  CHECK_THAT(ran.out, StartsWith("IoU 0.5, rules of dota, sampled overlaps"));
  const Json metrics = figures(run_of(folder.path(), ran));
  CHECK(metrics["overlap"] == "sampled");
  const Json& vehicles = metrics["classes"]["large-vehicle"];
  CHECK(vehicles["tp"] == vehicles["gt"]);
  std::vector<std::string> reference = sampled;
  reference.insert(reference.end(), {"--set", "runtime.rotated.backend=reference"});
  CHECK(figures(run_of(folder.path(), folder.program(reference))) == metrics);

  // A setting that is none is told before the model runs.
  const Finished odd =
      run_program(sampled, {.folder = folder.path(),
                            .environment = {{"ORIENTED_DET_GPU_ORIENTED_IOU_MIN_SAMPLES", "50"}}});
  CHECK(odd.status == 2);
  CHECK(odd.out == "");
  CHECK_THAT(odd.err, Contains("ORIENTED_DET_GPU_ORIENTED_IOU_MIN_SAMPLES"));
}

TEST_CASE("test: the truth is checked before the model runs", "[cli][test]") {
  GP_NEED_DATA(weights, "goldens/yolo_obb/tiny_yolov8.pt");
  GP_NEED_DATA(pictures, "goldens/yolo_obb/tiny_images");
  const DetectorFolder folder(weights, pictures);
  fs::remove_all(folder.path() / "runs");
  const std::vector<std::string> one_go = {"test", "-c", "run.yaml", "--data", "set"};
  std::vector<std::string> dry = one_go;
  dry.emplace_back("--dry-run");
  fs::create_directories(folder.path() / "grasps/scenes/scene_0100/kinect/annotations");
  std::ofstream(folder.path() / "grasps/scenes/scene_0100/kinect/annotations/0000.xml") << "<a/>";
  const Finished other = folder.program({"test", "-c", "run.yaml", "--data", "grasps"});
  CHECK(other.status == 2);
  CHECK_THAT(other.err, Contains("model.name: yolo_obb finds boxes") && Contains("GraspNet"));
  const Finished checked = folder.program(dry);
  CHECK(checked.status == 0);
  CHECK_THAT(checked.out, Contains("2 to do") && Contains("runs/test"));
  std::ofstream(folder.path() / "set/labelTxt/crop_b.txt") << "1 2 3 ship\n";
  CHECK_THAT(folder.program(one_go).err, Contains("crop_b.txt:1:"));
  std::ofstream(folder.path() / "set/labelTxt/crop_b.txt") << "";
  std::ofstream(folder.path() / "set/labelTxt/crop_c.txt") << "";
  const Finished no_image = folder.program(one_go);
  CHECK(no_image.status == 3);
  CHECK_THAT(no_image.err, Contains("crop_c.png: no such image"));
  CHECK_FALSE(fs::exists(folder.path() / "runs"));
}

TEST_CASE("test: suppression and top k are off unless --set says otherwise", "[cli][test]") {
  const ScratchFolder scratch;
  const std::string file =
      scratch
          .file("run.yaml",
                "model: {name: gsnet, checkpoint: w.tar}\n"
                "postprocess: {nms: {enabled: true}, collision: {threshold: 0.02}, top_k: 30}\n")
          .string();
  const auto resolved = [&](std::vector<std::string> words) {
    words.insert(words.begin() + 1, {"-c", file});
    app::Parsed parsed;
    app::parse_command_line(words, parsed);
    app::resolve_config(parsed);
    return *parsed.invocation.config;
  };
  const config::Config test = resolved({"test", "--data", "d"});
  CHECK_FALSE(test.boolean("postprocess.nms.enabled"));
  CHECK(test.integer("postprocess.top_k") == 0);
  CHECK(test.boolean("postprocess.collision.enabled"));
  CHECK(test.number("postprocess.collision.threshold") == 0.02);
  const config::Config set =
      resolved({"test", "--data", "d", "--set", "postprocess.nms.enabled=true", "--set",
                "postprocess.top_k=50"});
  CHECK(set.boolean("postprocess.nms.enabled"));
  CHECK(set.integer("postprocess.top_k") == 50);
  const config::Config infer = resolved({"infer", "x"});
  CHECK(infer.boolean("postprocess.nms.enabled"));
  CHECK(infer.integer("postprocess.top_k") == 30);
}

TEST_CASE("test: a broken object is told before the model runs", "[cli][test]") {
  GP_NEED_DATA(data, "data/grasp_mini");
  const InferFolder folder("[npy]");
  fs::create_directories(folder / "set/models");
  fs::create_symlink(data / "scenes", folder / "set/scenes");
  for (const auto& entry : fs::directory_iterator(data / "models")) {
    fs::create_symlink(entry.path(), folder / "set/models" / entry.path().filename());
  }
  fs::remove(folder / "set/models/002");
  fs::create_directories(folder / "set/models/002");
  fs::copy_file(data / "models/002/nontextured.ply", folder / "set/models/002/nontextured.ply");
  std::ofstream(folder / "set/models/002/textured.sdf") << "9 9 9\n0 0 0\n0.005\n0.1\n";
  const Finished finished = folder.program({"test", "-c", "run.yaml", "--data", "set", "--scenes",
                                            "100", "--views", "0", "--cameras", "kinect"});
  CHECK(finished.status == 3);
  CHECK_THAT(finished.err, Contains("models/002/textured.sdf"));
  CHECK_FALSE(fs::exists(folder / "runs"));
}

TEST_CASE("test: an interrupted run goes on and is evaluated", "[cli][test]") {
  GP_NEED_DATA(data, "data/grasp_mini");
  const InferFolder folder("[npy]");
  const std::vector<std::string> selection = {
      "test",     "-c",  "run.yaml",  "--data", data.string(), "--set", "input.depth.scale=auto",
      "--scenes", "160", "--cameras", "kinect", "--views",     "0,37",  "--no-progress",
      "--details"};
  std::string line = "set -m; \"$GRASPPANDA\"";
  for (const std::string& word : selection) line += " " + word;
  const Finished stopped = run_shell(
      line +
          " & until ls runs/test/*/predictions/scene_0160/kinect/0000.npy >/dev/null 2>&1; "
          "do sleep 0.02; done; kill -INT $!; wait $!; echo status $?",
      {.folder = folder.path(), .limit = std::chrono::seconds(300)});
  CHECK_THAT(stopped.out, Contains("status 130"));
  CHECK_THAT(stopped.err, Contains("go on with: grasppanda test --resume runs/test/"));
  const std::string name = stopped.out.substr(0, stopped.out.find('\n'));
  const fs::path run = folder / name;
  CHECK(json_file(run / "summary.json")["status"] == "interrupted");
  CHECK_FALSE(fs::exists(run / "metrics.json"));
  const auto written = fs::last_write_time(run / "predictions/scene_0160/kinect/0000.npy");

  // What it was begun with stands; the wrong command and another selection are refused.
  const Finished infer = folder.program({"infer", "--resume", name});
  CHECK(infer.status == 2);
  CHECK_THAT(infer.err, Contains("grasppanda test --resume"));
  const Finished other = folder.program({"test", "--resume", name, "--views", "0"});
  CHECK(other.status == 2);
  CHECK_THAT(other.err, Contains("--views 0 is not what") && Contains("--views 0,37"));

  fs::create_directories(folder / "elsewhere");
  const Finished resumed =
      run_program({"test", "--resume", run.string(), "--no-progress"},
                  {.folder = folder / "elsewhere", .limit = std::chrono::seconds(300)});
  INFO(resumed.err);
  CHECK(resumed.status == 0);
  CHECK_THAT(resumed.out, StartsWith("camera") && Contains("kinect"));
  CHECK(fs::last_write_time(run / "predictions/scene_0160/kinect/0000.npy") == written);
  const Json summary = json_file(run / "summary.json");
  CHECK(summary["status"] == "complete");
  CHECK(summary["counts"]["done"].get<int>() + summary["counts"]["empty"].get<int>() == 2);
  CHECK(summary["counts"]["kept_from_earlier_run"].get<int>() >= 1);
  CHECK(fs::exists(run / "details.jsonl"));

  // The same as a run that nobody stopped.
  const fs::path whole = folder.run_of(folder.program(selection));
  CHECK(figures(run) == figures(whole));
  CHECK(json_file(run / "metrics.json")["cameras"]["kinect"]["views"] == 2);
}

TEST_CASE("test: stored predictions, dry", "[cli][test]") {
  GP_NEED_DATA(data, "data/grasp_mini");
  const ScratchFolder scratch;
  const auto program = [&](const std::string& dumps) {
    return run_program({"test", "--data", data.string(), "--predictions", dumps, "--dry-run"},
                       {.folder = scratch.path()});
  };
  const Finished there = program((data / "dumps/main").string());
  CHECK(there.status == 0);
  CHECK_THAT(there.out, Contains("16 views of GraspNet-1Billion"));
  CHECK(program((data / "dumps/edge_few").string()).status == 3);
  CHECK(fs::is_empty(scratch.path()));
  // An evaluation of stored predictions has nothing to go on with.
  const fs::path run =
      run_of(scratch.path(),
             run_program({"test", "--data", data.string(), "--predictions",
                          (data / "dumps/main").string(), "--scenes", "160", "--views", "0"},
                         {.folder = scratch.path()}));
  const Finished resumed =
      run_program({"test", "--resume", run.string()}, {.folder = scratch.path()});
  CHECK(resumed.status == 2);
  CHECK_THAT(resumed.err, Contains("stored predictions are evaluated anew"));
  // Its config.yaml does as a config.
  const Finished again = run_program(
      {"test", "-c", (run / "config.yaml").string(), "--data", data.string(), "--predictions",
       (data / "dumps/main").string(), "--scenes", "160", "--views", "0"},
      {.folder = scratch.path()});
  CHECK(again.status == 0);
  CHECK(figures(run_of(scratch.path(), again)) == figures(run));
}

TEST_CASE("test: shards are merged, and evaluated as one run", "[cli][test]") {
  GP_NEED_DATA(weights, "goldens/yolo_obb/tiny_yolov8.pt");
  GP_NEED_DATA(pictures, "goldens/yolo_obb/tiny_images");
  const DetectorFolder folder(weights, pictures);
  const std::vector<std::string> words = {"test",    "-c",    "run.yaml",
                                          "--data",  "set",   "--iou",
                                          "0.5,0.9", "--set", "output.formats=[dota, coco]"};
  const fs::path whole = run_of(folder.path(), folder.program(words));
  std::vector<std::string> merge = {"merge"};
  for (const char* shard : {"0/2", "1/2"}) {
    std::vector<std::string> part = words;
    part.insert(part.end(), {"--shard", shard});
    const Finished finished = folder.program(part);
    CHECK(finished.status == 0);
    CHECK_THAT(finished.err, Contains("grasppanda merge"));
    const fs::path run = run_of(folder.path(), finished);
    CHECK_FALSE(fs::exists(run / "metrics.json"));
    merge.push_back(run.string());
  }
  merge.insert(merge.end(), {"--out", "all"});
  const Finished merged = folder.program(merge);
  INFO(merged.err);
  CHECK(merged.status == 0);
  CHECK_THAT(merged.out, StartsWith("IoU 0.5, rules of dota"));
  const fs::path all = run_of(folder.path(), merged);
  CHECK(figures(all) == figures(whole));
  for (const char* file : {"predictions/coco.json", "predictions/detections/Task1_ship.txt",
                           "curves/large-vehicle.csv"}) {
    CAPTURE(file);
    CHECK(read_bytes(all / file) == read_bytes(whole / file));
  }
  CHECK(json_file(all / "summary.json")["command"] == "test");
}

}  // namespace grasppanda::tests
