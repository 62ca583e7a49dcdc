// `infer` of the published detectors through the real program: outputs, tiles, JSON settings of
// oriented-det, leftovers, files of another model, detectors that are recognised but refused.
#include <nlohmann/json.hpp>

#include "lib/io/json_file.h"
#include "tests/catch.h"
#include "tests/cli/detector_setup.h"
#include "tests/cli/infer_setup.h"
#include "tests/support/damaged_bytes.h"

using namespace grasppanda;
using namespace grasppanda::tests;
using Catch::Matchers::Contains;
using nlohmann::ordered_json;
namespace fs = std::filesystem;

namespace {

constexpr const char* kMeta =
    R"({"mmrotate_version": "0.3.4", "CLASSES": ["plane", "small-vehicle"],
        "config": "angle_version = 'le90'"})";

std::vector<io::NamedArray> with_leftover(std::vector<io::NamedArray> tensors) {
  tensors.push_back({"bbox_head.loss_weight", io::make_array<float>({1}, std::vector<float>{1})});
  return tensors;
}

/// An empty folder with the checkpoints that are asked for, in which the program is run.
class DetectorFolder {
 public:
  explicit DetectorFolder(bool retinanet, bool fcos) {
    if (retinanet) {
      write_made_checkpoint(*this / "retinanet.pth", "state_dict",
                            with_leftover(made_mmrotate_retinanet(2)), kMeta);
    }
    if (fcos) {
      write_made_checkpoint(*this / "fcos.pth", "model_state_dict", made_oriented_det_fcos(2), "");
    }
    write_made_image(*this / "a.png", 64, 48);
    write_made_image(*this / "wide.png", 150, 40);
    scratch_.file("retinanet.yaml",
                  "model: {name: rotated_retinanet, checkpoint: retinanet.pth}\n"
                  "input: {size: 64}\n"
                  "output: {formats: [json, png, dota, geojson, coco, yolo]}\n");
    scratch_.file("fcos.json", R"({"model_type": "rotated_fcos", "class_names": ["car", "truck"],
      "preprocessing": {"target_size": [64, 96], "resize_mode": "fixed"},
      "model": {"final_nms_use_cpu": true, "final_nms_iou_threshold": 0.1},
      "production": {"score_threshold": 0.05, "overlap_pixels": 16,
                     "per_class_score_threshold": {"car": 1.0}}})");
    scratch_.file("strict.json",
                  R"({"_base_": "fcos.json", "evaluation": {"val_score_treshold": 0.1},
      "production": {"per_class_score_threshold": {"truck": 1.0}}})");
  }
  Finished infer(std::vector<std::string> arguments,
                 const std::map<std::string, std::string>& environment = {}) const {
    arguments.insert(arguments.begin(), "infer");
    arguments.insert(arguments.end(), {"--no-progress", "--threads", "1"});
    return run_program(arguments, {.folder = scratch_.path(),
                                   .environment = environment,
                                   .limit = std::chrono::seconds(120)});
  }
  fs::path run_of(const Finished& finished) const {
    INFO(finished.err);
    REQUIRE(finished.out.ends_with('\n'));
    const std::string out = finished.out.substr(0, finished.out.size() - 1);
    return scratch_.path() / out.substr(out.rfind('\n') + 1);
  }
  fs::path operator/(const std::string& name) const { return scratch_.path() / name; }

 private:
  ScratchFolder scratch_;
};

}  // namespace

TEST_CASE("a detector of MMRotate writes every output; leftovers are warned of", "[cli][infer]") {
  const DetectorFolder folder(true, false);
  const Finished finished = folder.infer({"-c", "retinanet.yaml", "a.png"});
  CAPTURE(finished.err);
  REQUIRE(finished.status == 0);
  CHECK_THAT(finished.err, Contains("warning: ") && Contains("bbox_head.loss_weight") &&
                               Contains("rotated_retinanet has no place for"));
  const fs::path run = folder.run_of(finished);
  const ordered_json result = json_file(run / "predictions/a.json");
  CHECK(result["angle_convention"] == "le90");
  CHECK(result["classes"] == ordered_json({"plane", "small-vehicle"}));
  REQUIRE(result["detections"].size() > 0);
  for (const char* file : {"pictures/a.png", "predictions/a.geojson", "predictions/coco.json",
                           "predictions/yolo/a.txt", "predictions/detections/Task1_plane.txt",
                           "predictions/detections/Task1_small-vehicle.txt"}) {
    CAPTURE(file);
    CHECK(fs::exists(run / file));
  }
  const ordered_json input = input_of(run, "a");
  CHECK(input["counts"].contains("anchors"));
  CHECK(input["counts"]["detections"] == result["detections"].size());
  CHECK(json_file(run / "env.json")["model"]["backbone"] == "resnet18");
  CHECK(json_file(run / "env.json")["model"]["line"] == "0.x");
}

TEST_CASE("MMRotate's tiles are whole, and in the record", "[cli][infer]") {
  const DetectorFolder folder(true, false);
  const std::vector<std::string> arguments = {"-c",
                                              "retinanet.yaml",
                                              "wide.png",
                                              "--set",
                                              "detect.tiling.min_side=100",
                                              "--set",
                                              "detect.tiling.window=64",
                                              "--set",
                                              "detect.tiling.overlap=16",
                                              "--set",
                                              "output.formats=[json]"};
  const Finished finished = folder.infer(arguments);
  REQUIRE(finished.status == 0);
  const ordered_json tiles = input_of(folder.run_of(finished), "wide")["tiles"];
  REQUIRE(tiles.size() == 3);  // x: 0, 48, 86
  CHECK(tiles[1]["window"] == ordered_json({48, 0, 64, 64}));
  CHECK(tiles[2]["window"] == ordered_json({86, 0, 64, 64}));
  CHECK(tiles[2]["counts"].contains("above_threshold"));

  std::vector<std::string> inside = arguments;
  inside.insert(inside.end(), {"--set", "detect.tiling.grid=inside"});
  const Finished other = folder.infer(inside);
  REQUIRE(other.status == 0);
  CHECK(input_of(folder.run_of(other), "wide")["tiles"][1]["window"] ==
        ordered_json({48, 0, 64, 40}));
}

TEST_CASE("a JSON file of oriented-det is a configuration of a run", "[cli][infer]") {
  const DetectorFolder folder(false, true);
  const std::vector<std::string> arguments = {"-c",       "fcos.json",    "a.png",
                                              "wide.png", "--checkpoint", "fcos.pth"};
  const Finished finished = folder.infer(arguments);
  CAPTURE(finished.err);
  REQUIRE(finished.status == 0);
  const fs::path run = folder.run_of(finished);
  const ordered_json small = json_file(run / "predictions/a.json");
  REQUIRE(small["detections"].size() > 0);
  for (const ordered_json& detection : small["detections"]) CHECK(detection["class"] == "truck");
  const Finished strict = folder.infer({"-c", "strict.json", "a.png", "--checkpoint", "fcos.pth"});
  REQUIRE(strict.status == 0);
  CHECK(input_of(folder.run_of(strict), "a")["counts"]["detections"] == 0);
  const std::string misspelt = "strict.json: evaluation.val_score_treshold is not read; did you";
  CHECK_THAT(strict.err, Contains("warning: " + misspelt));
  CHECK_THAT(read_bytes(folder.run_of(strict) / "log.txt"), Contains(misspelt));
  CHECK_THAT(finished.err, !Contains("is not read"));
  // A canvas of 96 x 64: the wide image is seen in windows of that size.
  CHECK(input_of(run, "a")["figures"]["input"] == ordered_json({96, 64}));
  const ordered_json wide = input_of(run, "wide");
  REQUIRE(wide["tiles"].size() == 2);
  CHECK(wide["tiles"][1]["window"] == ordered_json({54, 0, 96, 64}));
  CHECK(wide["counts"].contains("after_merge"));

  // Several windows at once change nothing that a user sees.
  const Finished batched = folder.infer(arguments, {{"ORIENTED_DET_WINDOW_BATCH_SIZE", "2"}});
  REQUIRE(batched.status == 0);
  CHECK(json_file(folder.run_of(batched) / "predictions/wide.json")["detections"].size() ==
        json_file(run / "predictions/wide.json")["detections"].size());
  const Finished odd = folder.infer(arguments, {{"ORIENTED_DET_WINDOW_BATCH_SIZE", "many"}});
  CHECK(odd.status != 0);
  CHECK_THAT(odd.err, Contains("ORIENTED_DET_WINDOW_BATCH_SIZE") && Contains("many"));
}

TEST_CASE("a file of another detector is told by name", "[cli][infer]") {
  const DetectorFolder folder(true, true);
  const auto refused = [&](const std::vector<std::string>& arguments, const std::string& words) {
    const Finished finished = folder.infer(arguments);
    CAPTURE(finished.err);
    CHECK(finished.status == 3);
    CHECK(finished.out.empty());
    CHECK_THAT(finished.err, Contains(words));
    CHECK(std::count(finished.err.begin(), finished.err.end(), '\n') == 1);
  };
  refused({"-c", "retinanet.yaml", "a.png", "--checkpoint", "fcos.pth"},
          "set model.name: rotated_fcos");
  refused({"-c", "fcos.json", "a.png", "--checkpoint", "retinanet.pth"},
          "set model.name: rotated_retinanet");
  refused({"-c", "retinanet.yaml", "a.png", "--set", "model.family=oriented_det"},
          "set model.family: mmrotate");
  refused({"-c", "retinanet.yaml", "a.png", "--set", "model.angle_version=oc"}, "le90");
}

TEST_CASE("detectors that are not supported are refused by name", "[cli][infer]") {
  GP_NEED_DATA(file, "goldens/mmrotate/keys_extensions.json");
  const DetectorFolder folder(false, false);
  const nlohmann::json golden = io::read_json(file);
  int kinds = 0;
  for (const auto& [name, keys] : golden.items()) {
    if (!keys.is_object()) continue;
    CAPTURE(name);
    // A few of the tensors, the telling ones among them, in shapes of their own.
    std::vector<io::NamedArray> tensors;
    for (const auto& [key, shape] : keys.items()) {
      if (key.ends_with(".weight") && !key.starts_with("backbone.")) {
        tensors.push_back({key, io::make_array<float>({1}, std::vector<float>{1})});
      }
    }
    write_made_checkpoint(folder / "other.pth", "state_dict", tensors, "");
    const std::string wanted = name.starts_with("s2anet")    ? "S2ANet"
                               : name.starts_with("r3det")   ? "R3Det"
                               : name.starts_with("gliding") ? "Gliding Vertex"
                                                             : "RTMDet-R";
    for (const char* config : {"retinanet.yaml", "fcos.json"}) {
      const Finished finished = folder.infer({"-c", config, "a.png", "--checkpoint", "other.pth"});
      CHECK(finished.status == 3);
      CHECK_THAT(finished.err, Contains(wanted) && Contains("other.pth"));
    }
    const std::string file = (folder / "other.pth").string();
    const Finished table = run_program({"checkpoint", "inspect", file});
    CHECK_THAT(table.out, Contains("none of the models; it is one of " + wanted + " of MMRotate"));
    const Finished object = run_program({"checkpoint", "inspect", file, "--json"});
    CHECK(ordered_json::parse(object.out)["unsupported"] == wanted + " of MMRotate");
    ++kinds;
  }
  CHECK(kinds == 7);
}
