// `test` with the real program.
#include <algorithm>

#include "lib/io/npy.h"
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
  REQUIRE(finished.out.ends_with('\n'));
  const std::string out = finished.out.substr(0, finished.out.size() - 1);
  return folder / out.substr(out.rfind('\n') + 1);
}

/// Two images, three objects of two classes.
void write_dota_set(const ScratchFolder& scratch) {
  scratch.file("set/labelTxt/P1.txt",
               "imagesource:made\ngsd:null\n10 10 50 10 50 30 10 30 ship 0\n"
               "100 100 140 100 140 120 100 120 ship 1\n");
  scratch.file("set/labelTxt/P2.txt", "5 5 25 5 25 25 5 25 plane\n");
  scratch.file("found/Task1_ship.txt",
               "P1 0.9 10 10 50 10 50 30 10 30\n"
               "P1 0.8 100 100 140 100 140 120 100 120\n");
  scratch.file("found/Task1_plane.txt", "P2 0.7 25 25 5 25 5 5 25 5\n");
}

}  // namespace

TEST_CASE("test: grasps of the mini data set", "[cli][test]") {
  GP_NEED_DATA(data, "data/grasp_mini");
  GP_NEED_DATA(goldens, "goldens/grasp_evaluation");
  const ScratchFolder scratch;
  const auto program = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"test", "--data", data.string(), "--no-progress"});
    return run_program(arguments, {.folder = scratch.path()});
  };
  const Json wanted = json_file(goldens / "summary.json")["main"];
  const Finished finished =
      program({"--predictions", (data / "dumps/main").string(), "--details", "--threads", "2"});
  REQUIRE(finished.status == 0);
  CHECK(finished.err == "");
  CHECK_THAT(finished.out, StartsWith("camera") && Contains("kinect") && Contains("40.31"));
  const fs::path run = run_of(scratch.path(), finished);
  const Json metrics = json_file(run / "metrics.json");
  CHECK(metrics["schema"] == "grasppanda.metrics/1");
  CHECK(metrics["task"] == "grasp");
  const auto close = [](const Json& a, const Json& b) {
    return std::abs(a.get<double>() - b.get<double>()) < 1e-12;
  };
  for (const char* camera : {"kinect", "realsense"}) {
    CAPTURE(camera);
    const Json& got = metrics["cameras"][camera];
    CHECK(close(got["AP"], wanted[camera]["all"]["AP"]));
    CHECK(close(got["AP0.8"], wanted[camera]["all"]["AP_0_8"]));
    CHECK(close(got["AP0.4"], wanted[camera]["all"]["AP_0_4"]));
    CHECK(close(got["splits"]["seen"]["AP"], wanted[camera]["seen"]["AP"]));
    CHECK(close(got["splits"]["novel"]["AP"], wanted[camera]["novel"]["AP"]));
    CHECK(got["splits"]["similar"].is_null());
    CHECK(close(got["scenes"]["scene_0160"]["AP"], wanted[camera]["novel"]["AP"]));
    const io::Array accuracy =
        io::read_npy(run / "accuracy/scene_0100" / (std::string(camera) + ".npy"));
    CHECK(io::describe(accuracy) == "float64 (4, 50, 6)");
  }
  const Json manifest = json_file(run / "manifest.json");
  CHECK(manifest["inputs"].size() == 16);  // the dumps
  const std::string outputs = manifest["outputs"].dump();
  for (const char* file : {"metrics.json", "details.jsonl", "accuracy/scene_0100/kinect.npy"}) {
    CHECK_THAT(outputs, Contains(file));
  }
  const std::string details = read_bytes(run / "details.jsonl");
  CHECK(std::ranges::count(details, '\n') == 720);

  // Fewer views by every option; one thread gives the same numbers.
  const Finished part =
      program({"--predictions", (data / "dumps/main").string(), "--split", "novel", "--cameras",
               "kinect", "--views", "0,128-255", "--threads", "1"});
  CHECK(part.status == 3);
  CHECK_THAT(part.err, Contains("0129.xml") && Contains("view 129"));
  const Finished two = program({"--predictions", (data / "dumps/main").string(), "--scenes", "160",
                                "--cameras", "kinect", "--views", "0,37", "--threads", "1"});
  REQUIRE(two.status == 0);
  const Json views = wanted["kinect"]["per_view"]["160"];
  const double mean = (views[0].get<double>() + views[1].get<double>()) / 2;
  const Json few = json_file(run_of(scratch.path(), two) / "metrics.json");
  CHECK(few["cameras"]["kinect"]["AP"].get<double>() == Approx(mean).epsilon(1e-12));
  CHECK(few["cameras"]["kinect"]["views"] == 2);
  CHECK_FALSE(few["cameras"].contains("realsense"));

  const Finished compared =
      run_program({"test", "--compare", run.string(), run_of(scratch.path(), two).string()},
                  {.folder = scratch.path()});
  CHECK(compared.status == 0);
  CHECK_THAT(compared.out, Contains("kinect AP") && Contains("(2)") && Contains("diff"));
  CHECK_THAT(compared.err, Contains("differ in the cameras: (1) kinect, realsense; (2) kinect\n") &&
                               Contains("in the scenes of kinect") &&
                               Contains("in the views of kinect: (1) 0,37,128,255; (2) 0,37\n"));
}

TEST_CASE("test: dumps that are empty, missing or broken", "[cli][test]") {
  GP_NEED_DATA(data, "data/grasp_mini");
  const ScratchFolder scratch;
  const auto program = [&](const fs::path& dumps) {
    return run_program({"test", "--data", data.string(), "--no-progress", "--scenes", "160",
                        "--cameras", "realsense", "--views", "37", "--predictions", dumps.string()},
                       {.folder = scratch.path()});
  };
  const Finished empty = program(data / "dumps/edge_empty");
  CHECK(empty.status == 0);
  CHECK_THAT(empty.err, Contains("scene_0160/realsense/0037: no grasps"));
  const Json metrics = json_file(run_of(scratch.path(), empty) / "metrics.json");
  CHECK(metrics["cameras"]["realsense"]["AP"] == 0.0);

  // Told before a run directory is there.
  fs::remove_all(scratch.path() / "runs");
  fs::create_directories(scratch.path() / "none");
  const Finished missing = program(scratch.path() / "none");
  CHECK(missing.status == 3);
  CHECK_THAT(missing.err, Contains("scene_0160/realsense/0037.npy: no such file") &&
                              Contains("wanted") && Contains("scene_NNNN/CAMERA/NNNN.npy"));
  const Finished some = run_program({"test", "--data", data.string(), "--predictions",
                                     (data / "dumps/edge_empty").string(), "--scenes", "160"},
                                    {.folder = scratch.path()});
  CHECK(some.status == 3);
  CHECK_THAT(some.err, Contains("7 of 8 views have no dump; evaluate fewer with --split"));
  CHECK_FALSE(fs::exists(scratch.path() / "runs"));

  const io::Array good = io::read_npy(data / "dumps/edge_few/scene_0160/realsense/0037.npy");
  const auto changed = [&](std::size_t at, float value) {
    std::vector<float> rows(good.as<float>().begin(), good.as<float>().end());
    rows[at] = value;
    const fs::path file = scratch.path() / "bad/scene_0160/realsense/0037.npy";
    fs::create_directories(file.parent_path());
    io::write_npy(file, io::make_array(good.shape, rows));
    return program(scratch.path() / "bad");
  };
  const Finished nan = changed(17 * 2 + 5, std::nanf(""));
  CHECK(nan.status == 3);
  CHECK_THAT(nan.err, Contains("0037.npy: row 2, column 5"));
  const Finished scaled = changed(17 * 3 + 4, 2.5F);
  CHECK(scaled.status == 3);
  CHECK_THAT(scaled.err, Contains("row 3") && Contains("no rotation"));
}

TEST_CASE("test: a model and its stored predictions get the same numbers", "[cli][test]") {
  GP_NEED_DATA(data, "data/grasp_mini");
  const InferFolder folder("[npy]");
  const std::vector<std::string> selection = {"--data",  data.string(), "--scenes",
                                              "160",     "--cameras",   "kinect",
                                              "--views", "37",          "--no-progress"};
  std::vector<std::string> with_model = {"test",
                                         "-c",
                                         "run.yaml",
                                         "--set",
                                         "input.depth.scale=auto",
                                         "--set",
                                         "input.workspace_mask=none"};
  with_model.insert(with_model.end(), selection.begin(), selection.end());
  const Finished ran = folder.program(with_model);
  INFO(ran.err);
  REQUIRE(ran.status == 0);
  const fs::path run = folder.run_of(ran);
  CHECK(run.parent_path() == folder / "runs/test");
  CHECK(fs::exists(run / "predictions/scene_0160/kinect/0037.npy"));
  CHECK(json_file(run / "summary.json")["status"] == "complete");
  // Suppression and top k are off, whatever the config says.
  const std::string config = read_bytes(run / "config.yaml");
  CHECK_THAT(config, Contains("top_k: 0"));
  std::vector<std::string> stored = {"test", "--predictions", run.string()};
  stored.insert(stored.end(), selection.begin(), selection.end());
  const Finished again = folder.program(stored);
  INFO(again.err);
  REQUIRE(again.status == 0);
  CHECK(json_file(run / "metrics.json")["cameras"] ==
        json_file(folder.run_of(again) / "metrics.json")["cameras"]);
}

TEST_CASE("test: detections on a DOTA folder", "[cli][test]") {
  const ScratchFolder scratch;
  write_dota_set(scratch);
  const auto program = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"test", "--data", "set", "--predictions", "found"});
    return run_program(arguments, {.folder = scratch.path()});
  };
  const Finished finished = program({"--iou", "0.5,0.75"});
  REQUIRE(finished.status == 0);
  CHECK(finished.err == "");
  const fs::path run = run_of(scratch.path(), finished);
  const Json metrics = json_file(run / "metrics.json");
  CHECK(metrics["task"] == "detection");
  CHECK(metrics["convention"] == "dota");
  CHECK(metrics["iou"] == 0.5);
  CHECK(metrics["mAP_voc07"].get<double>() == Approx(1));
  CHECK(metrics["mAP_area"].get<double>() == Approx(1));
  CHECK(metrics["classes"]["ship"]["gt"] == 1);
  CHECK(metrics["classes"]["ship"]["detections"] == 2);
  CHECK(metrics["classes"]["ship"]["tp"] == 1);
  CHECK(metrics["classes"]["ship"]["fp"] == 0);
  CHECK(metrics["by_iou"]["0.75"]["mAP_area"].get<double>() == Approx(1));
  CHECK(json_file(run / "manifest.json")["inputs"].size() == 2);
  CHECK(fs::exists(run / "curves/ship.csv"));
  CHECK(fs::exists(run / "pictures/curves/plane.png"));

  // The same name in two places.
  fs::create_directories(scratch.path() / "copy");
  fs::copy(run, scratch.path() / "copy" / run.filename(), fs::copy_options::recursive);
  const Finished compared =
      run_program({"test", "--compare", run.string(), "copy/" + run.filename().string()},
                  {.folder = scratch.path()});
  CHECK(compared.status == 0);
  CHECK(compared.err == "");
  CHECK_THAT(compared.out, StartsWith("(1) test/" + run.filename().string() + "\n(2) copy/" +
                                      run.filename().string() + "\n") &&
                               Contains("mAP_area at 0.75") && Contains("mAP_area mean"));

  // The rules are a setting, with or without a config file.
  const Finished devkit = program({"--set", "evaluation.convention=devkit"});
  REQUIRE(devkit.status == 0);
  const Json fixed = json_file(run_of(scratch.path(), devkit) / "metrics.json");
  CHECK(fixed["classes"].size() == 15);
  CHECK(fixed["mAP_voc07"].get<double>() == Approx(2.0 / 15));
  scratch.file("rules.yaml", "evaluation: {convention: mmrotate}\n");
  const Finished rules = program({"-c", "rules.yaml"});
  CHECK(rules.status == 0);
  CHECK_THAT(rules.out, Contains("mmrotate"));

  // Rows of images that --limit leaves out are known, and not counted.
  const Finished first = program({"--limit", "1"});
  REQUIRE(first.status == 0);
  CHECK(first.err == "");
  const Json limited = json_file(run_of(scratch.path(), first) / "metrics.json");
  CHECK(limited["images"] == 1);
  CHECK(limited["classes"]["plane"]["detections"] == 0);

  // A row that names no known image, and a broken label.
  scratch.file("found/Task1_ship.txt", "P9 0.9 10 10 50 10 50 30 10 30\n");
  const Finished unknown = program({});
  CHECK(unknown.status == 0);
  CHECK_THAT(unknown.err, Contains("outside of the list, ignored: 1 (the first: 'P9')"));
  CHECK_THAT(program({"--limit", "1"}).err, Contains("outside of the list, ignored: 1"));
  scratch.file("set/labelTxt/P2.txt", "\n5 5 25 5 25 25 5 25 large vehicle 0\n");
  const Finished broken = program({});
  CHECK(broken.status == 3);
  CHECK_THAT(broken.err, Contains("P2.txt:2:") && Contains("large vehicle"));
}

TEST_CASE("test: classes of any name, thresholds of any number", "[cli][test]") {
  const ScratchFolder scratch;
  const std::string corners = "10 10 50 10 50 30 10 30 ";
  std::string labels = "\xef\xbb\xbf" + corners + "ship 0\r\n";  // as an editor may save it
  for (const char* name : {"a/b", "a_b", "s\xffp", "red\033[31m"})
    labels += corners + name + " 0\n";
  labels += corners + std::string(300, 'x') + " 0\n";
  scratch.file("set/labelTxt/P1.txt", labels);
  scratch.file("found/Task1_ship.txt", "\xef\xbb\xbfP1 0.9 " + corners + "\n");
  const Finished finished =
      run_program({"test", "--data", "set", "--predictions", "found", "--iou", "0.5,0.5000001"},
                  {.folder = scratch.path()});
  INFO(finished.err);
  REQUIRE(finished.status == 0);
  CHECK_THAT(finished.out, !Contains("\033") && Contains("red\\x1b[31m") &&
                               Contains("mean over the 2 overlaps: AP (voc07) 16.67"));
  const fs::path run = run_of(scratch.path(), finished);
  const Json metrics = json_file(run / "metrics.json");
  CHECK(metrics["classes"]["ship"]["tp"] == 1);
  CHECK(metrics["by_iou"].contains("0.5"));
  CHECK(metrics["by_iou"].contains("0.5000001"));
  // A file for each of the six classes.
  const auto files = [](const fs::path& folder) {
    return std::distance(fs::directory_iterator(folder), fs::directory_iterator());
  };
  CHECK(files(run / "curves") == 6);
  CHECK(files(run / "pictures/curves") == 6);
}

TEST_CASE("test: images that a run did not get to are told", "[cli][test]") {
  const ScratchFolder scratch;
  write_dota_set(scratch);
  scratch.file("run/summary.json", "{}");
  scratch.file("run/predictions/P2.json",
               R"({"detections": [{"class": "plane", "score": 0.5,
                  "corners": [5, 5, 25, 5, 25, 25, 5, 25]}]})");
  const auto program = [&] {
    return run_program({"test", "--data", "set", "--predictions", "run"},
                       {.folder = scratch.path()});
  };
  const Finished part = program();
  CHECK(part.status == 0);
  CHECK_THAT(part.err, Contains("images without predictions") && Contains("1 (the first: 'P1')"));
  scratch.file("run/predictions/P1.json", R"({"detections": []})");
  CHECK(program().err == "");
  scratch.file("set/imageset.txt", "");
  CHECK_THAT(program().err, Contains("imageset.txt: names no image"));
}

TEST_CASE("test: an interrupt ends an evaluation of stored predictions", "[cli][test]") {
  const ScratchFolder scratch;
  // `ready`: what is there once the evaluation is under way.
  const auto interrupted = [&](const std::string& arguments, const std::string& ready) {
    return run_shell("set -m; \"$GRASPPANDA\" test --no-progress --threads 1 " + arguments +
                         " & until ls " + ready +
                         " >/dev/null 2>&1; do sleep 0.01; done; kill -INT $!; wait $!; "
                         "echo status $?",
                     {.folder = scratch.path(), .limit = std::chrono::seconds(120)});
  };
  const auto check = [&](const Finished& finished, const std::string& out) {
    INFO(finished.err);
    CHECK_THAT(finished.out, Contains("status 130"));
    CHECK_THAT(finished.err, Contains("there is no metrics.json"));
    const fs::path run = scratch.path() / finished.out.substr(0, finished.out.find('\n'));
    REQUIRE(run.parent_path() == scratch.path() / out);
    CHECK(json_file(run / "summary.json")["status"] == "interrupted");
    CHECK_FALSE(fs::exists(run / "metrics.json"));
    return run;
  };

  SECTION("detections") {  // 30 million overlaps
    std::string labels, rows;
    for (int i = 0; i < 1000; ++i) {
      const std::string corners = std::to_string(i % 7) + " 0 1000 0 1000 900 0 900";
      for (int kind = 0; kind < 10; ++kind) {
        labels += corners + " kind" + std::to_string(kind) + " 0\n";
      }
      for (int k = 0; k < 3; ++k) rows += "P1 0." + std::to_string(k) + " " + corners + "\n";
    }
    scratch.file("set/labelTxt/P1.txt", labels);
    for (int kind = 0; kind < 10; ++kind) {
      scratch.file("found/Task1_kind" + std::to_string(kind) + ".txt", rows);
    }
    check(interrupted("--data set --predictions found --out a", "a/test/*/summary.json"), "a/test");
  }
  SECTION("grasps") {  // 800 views
    GP_NEED_DATA(data, "data/grasp_mini");
    fs::create_directories(scratch.path() / "set/scenes");
    fs::create_directories(scratch.path() / "found");
    fs::create_symlink(data / "models", scratch.path() / "set/models");
    for (int i = 100; i < 200; ++i) {
      const std::string name = "scene_0" + std::to_string(i);
      fs::create_symlink(data / "scenes/scene_0100", scratch.path() / "set/scenes" / name);
      fs::create_symlink(data / "dumps/main/scene_0100", scratch.path() / "found" / name);
    }
    const fs::path run = check(interrupted("--data set --predictions found --details --out b",
                                           "b/test/*/accuracy/scene_0100/kinect.npy"),
                               "b/test");
    // What whole scenes have is kept, and nothing that only looks whole.
    const std::string outputs = json_file(run / "manifest.json")["outputs"].dump();
    CHECK_THAT(outputs, Contains("accuracy/scene_0100/kinect.npy"));
    CHECK_FALSE(fs::exists(run / "accuracy/scene_0199/realsense.npy"));
    CHECK_FALSE(fs::exists(run / "details.jsonl"));
  }
}

TEST_CASE("test: what cannot be evaluated is told at once", "[cli][test]") {
  const ScratchFolder scratch;
  fs::create_directories(scratch.path() / "folder");
  const auto program = [&](const std::vector<std::string>& arguments) {
    return run_program(arguments, {.folder = scratch.path()});
  };
  CHECK(program({"test"}).status == 2);
  CHECK(program({"test", "--data", "folder"}).status == 2);
  CHECK(program({"test", "--data", "folder", "--predictions", "x"}).status == 3);
  CHECK(program({"test", "--data", "nowhere", "--predictions", "x"}).status == 3);
  CHECK(program({"test", "--compare", "folder"}).status == 2);
  CHECK(program({"test", "--compare", "folder", "folder"}).status == 3);
  CHECK(program({"test", "--data", "folder", "--split", "sen", "--predictions", "x"}).status == 2);
}

}  // namespace grasppanda::tests
