// oriented-det's JSON settings as configurations.
#include "app/package_config.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "app/config_keys.h"
#include "lib/config/config.h"
#include "lib/config/config_error.h"
#include "tests/catch.h"
#include "tests/cli/program.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::app {
namespace {

namespace fs = std::filesystem;

class Folder {
 public:
  fs::path write(const std::string& name, const std::string& text) const {
    return scratch_.file(name, text);
  }

 private:
  tests::ScratchFolder scratch_;
};

config::Config resolved(const fs::path& file) {
  return load_package_config(file, {}, key_tables()).config;
}

TEST_CASE("A JSON file of oriented-det is a configuration", "[cli][config]") {
  const Folder folder;
  folder.write("base.json", R"({"model_type": "oriented_rcnn", "class_map": {"ship": 2, "plane": 1},
    "_muted_note": [1], "model": {"rpn_pre_nms_top_n": 2000, "final_nms_use_cpu": false},
    "preprocessing": {"target_size": [800, 800], "resize_mode": "pad",
                      "mean": [123.675, 116.28, 103.53]}})");
  const fs::path file = folder.write("run.JSON", R"({"_base_": "base.json",
    "production": {"_muted_rpn_pre_nms_top_n": 7, "rpn_pre_nms_top_n": 6000,
                   "score_threshold": 0.55, "overlap_pixels": null}})");
  REQUIRE(is_package_config(file));
  const config::Config config = resolved(file);
  CHECK(config.text("model.name") == "oriented_rcnn");
  CHECK(config.text("model.family") == "oriented_det");
  CHECK(config.texts("detect.classes") == std::vector<std::string>{"plane", "ship"});
  CHECK(config.integer("model.rpn.pre_nms") == 6000);
  CHECK_FALSE(config.boolean("model.final_nms_use_cpu"));
  CHECK(config.is("detect.class_display_thresholds", "none"));
  CHECK(config.number("detect.tiling.ignore_margin") == 0);
  CHECK(config.number("detect.display_threshold") == 0.55);
  CHECK(config.number("detect.tiling.overlap") == 200);
  CHECK(config.integer("detect.tiling.min_side") == 0);
  CHECK(config.numbers("model.canvas") == std::vector<double>{800, 800});
  CHECK(config.text("model.resize_mode") == "pad");
  CHECK(config.numbers("model.mean")[0] == Approx(0.485));
  CHECK(config.numbers("model.std")[0] == Approx(0.229));
}

TEST_CASE("Every setting of oriented-det that changes a result is taken over", "[cli][config]") {
  const Folder folder;
  const config::Config config = resolved(folder.write("run.json", R"({
    "model_type": "rotated_retinanet", "class_names": ["car", "truck"], "num_classes": 3,
    "dataset": {"overlap": 32, "format": "dota"},
    "model": {"score_threshold": 0.1, "inference_pre_nms_score_threshold": 0.2, "backbone": "x",
              "final_nms_iou_threshold": 0.5, "fpn_strides": [8, 16, 32, 64, 128],
              "anchor_angles": [0.0], "max_detections_per_image": 100, "final_nms_use_cpu": true},
    "preprocessing": {"target_size": [600, 800], "resize_mode": "crop", "pad_size_divisor": 64,
                      "enable_flip_vertical": true,
                      "normalize_mean": [0.3, 0.4, 0.5], "normalize_std": [51, 51, 51]},
    "evaluation": {"val_score_threshold": 0.25, "per_class_score_threshold": {"car": 0.4},
                   "use_exact_rotated_iou": true, "final_nms_iou_threshold": 0.2},
    "production": {"per_class_score_threshold": {"truck": 0.7}, "nms_class_agnostic": true,
                   "stick_to_model_canvas": null, "overlap_pixels": 100,
                   "final_nms_iou_threshold": 0.3}})"));
  CHECK(config.number("detect.score_threshold") == 0.1);  // this model's name for it
  CHECK(config.number("detect.display_threshold") == 0.25);
  CHECK(config.numbers("detect.class_display_thresholds") == std::vector<double>{0.4, 0.7});
  CHECK(config.number("detect.nms.iou") == 0.3);
  CHECK(config.number("detect.tiling.merge_iou") == 0.3);
  CHECK(config.boolean("detect.nms.class_agnostic"));
  CHECK(config.integer("detect.max_detections") == 100);
  CHECK(config.number("detect.tiling.overlap") == 100);
  CHECK(config.number("detect.tiling.ignore_margin") == 16);
  CHECK(config.numbers("model.canvas") == std::vector<double>{600, 800});
  CHECK(config.integer("model.pad_divisor") == 64);
  CHECK(config.integer("model.num_classes") == 3);
  CHECK(config.numbers("model.strides") == std::vector<double>{8, 16, 32, 64, 128});
  CHECK(config.boolean("model.final_nms_use_cpu"));
  CHECK(config.numbers("model.mean") == std::vector<double>{0.3, 0.4, 0.5});
  CHECK(config.numbers("model.std")[0] == Approx(0.2));
}

/// What is said about a file, each problem in a line.
std::string complaint(const fs::path& file) {
  try {
    resolved(file);
  } catch (const config::ConfigError& error) {
    return error.what();
  }
  return "";
}

TEST_CASE("The overlap of windows may be a share, and belongs to the canvas", "[cli][config]") {
  const Folder folder;
  const auto overlap =
      [&](const std::string& size, const std::string& pixels) {
        return resolved(folder.write("run.json", R"({"model_type": "rotated_fcos",
      "preprocessing": {"target_size": )" + size + R"(}, "production": {"overlap_pixels": )" +
                                                     pixels + "}}"))
            .number("detect.tiling.overlap");
      };
  CHECK(overlap("[800, 800]", "0.25") == 0.25);
  CHECK(overlap("[2048, 2048]", "1500") == 1500);
  CHECK(overlap("1536", "1500") == 1500);
  CHECK(overlap("[128, 96]", "null") == 127);  // 200, cut down
  CHECK(overlap("[800, 800]", "null") == 200);
  CHECK_THROWS_AS(overlap("[800, 800]", "900"), config::ConfigError);
}

TEST_CASE("Errors of a JSON file name the file and the key that its author wrote",
          "[cli][config]") {
  const Folder folder;
  const fs::path base = folder.write("base.json", R"({"model_type": "rotated_fcos",
    "production": {"final_nms_iou_threshold": "half", "score_threshold": 0.4}})");
  const fs::path middle = folder.write("middle.json", R"({"_base_": "base.json",
    "production": {"overlap_pixels": 4000}, "num_classes": [3]})");
  const fs::path run = folder.write("run.json", R"({"_base_": "middle.json",
    "production": {"score_threshold": "high"}})");
  const std::string told = complaint(run);
  INFO(told);
  const auto tells = [&](const std::string& part) { return told.find(part) != std::string::npos; };
  CHECK(tells(run.string() + ": production.score_threshold: wants a number"));
  CHECK(tells(base.string() + ": production.final_nms_iou_threshold: wants a number"));
  CHECK(tells(middle.string() + ": num_classes: wants "));
  CHECK_FALSE(tells("detect.display_threshold"));
  CHECK_FALSE(
      tells(".json:"
            "1"));  // lines of a text that nobody wrote
  // What the translation itself refuses.
  const fs::path wrong = folder.write("wrong.json", R"({"model_type": "rotated_fcos",
    "model": {"fpn_extra_level": false}})");
  const fs::path upon = folder.write("upon.json", R"({"_base_": "wrong.json", "model": {}})");
  CHECK(complaint(upon).starts_with(wrong.string() + ": model.fpn_extra_level is false;"));
}

TEST_CASE("Origins of a JSON file's values are its own keys", "[cli][config]") {
  const Folder folder;
  const fs::path base = folder.write("base.json", R"({"model_type": "oriented_rcnn",
    "production": {"score_threshold": 0.4, "rpn_pre_nms_top_n": 5}, "dataset": {"overlap": 64}})");
  const fs::path run = folder.write("run.json", R"({"_base_": ["base.json"],
    "production": {"score_threshold": 0.5}})");
  const std::vector<config::Override> set = {{"detect.nms.iou", "0.2", "--set"}};
  const config::Config config = load_package_config(run, set, key_tables()).config;
  CHECK(config.source == run);
  CHECK(config.origin("detect.display_threshold") == run.string() + ": production.score_threshold");
  CHECK(config.origin("model.rpn.pre_nms") == base.string() + ": production.rpn_pre_nms_top_n");
  CHECK(config.origin("detect.tiling.ignore_margin") == base.string() + ": dataset.overlap");
  CHECK(config.origin("detect.nms.iou") == "--set");
  CHECK(config.origin("detect.tiling.min_side") == "oriented-det's default");
  CHECK(config.origin("detect.score_threshold") == "default");
}

TEST_CASE("Keys that look like ones that are read are told, all others are training's",
          "[cli][config]") {
  const Folder folder;
  folder.write("base.json", R"({"model_type": "oriented_rcnn", "evaluaton": {},
    "model": {"rpn_pre_nms_topn": 9, "roi_nms_threshold": 1, "neck": 2, "max_detections": 5}})");
  const fs::path run = folder.write("run.json", R"({"_base_": "base.json", "seed": 1,
    "_muted_modl": 1, "training": {"score_treshold": 3}, "dataset": {"overlaps": 1, "format": 1},
    "evaluation": {"test_score_threshold": 0.1, "iou_threshold": 0.5, "map_iou_thresholds": [],
                   "val_score_treshold": 0.2, "interval": 1}})");
  const std::string base = (run.parent_path() / "base.json").string() + ": ";
  const std::string own = run.string() + ": ";
  CHECK(load_package_config(run, {}, key_tables()).warnings ==
        std::vector<std::string>{
            base + "evaluaton is not read; did you mean 'evaluation'?",
            base + "model.rpn_pre_nms_topn is not read; did you mean 'model.rpn_pre_nms_top_n'?",
            own + "evaluation.val_score_treshold is not read; did you mean "
                  "'evaluation.val_score_threshold'?",
            own + "dataset.overlaps is not read; did you mean 'dataset.overlap'?"});
  const tests::Finished said = tests::run_program({"config", "validate", run.string()});
  CHECK(said.status == 0);
  CHECK(said.err.find("grasppanda: warning: " + own + "dataset.overlaps is not read") !=
        std::string::npos);
}

TEST_CASE("A section of a JSON file is an object, also over a base file's", "[cli][config]") {
  const Folder folder;
  const fs::path base = folder.write("base.json", R"({"model_type": "rotated_fcos",
    "model": {"max_detections_per_image": 7}})");
  const fs::path run = folder.write("run.json", R"({"_base_": "base.json", "model": [1]})");
  CHECK(complaint(run) == run.string() + ": model: would replace the settings of " + base.string() +
                              " as a whole; wants an object of settings, got array");
  const fs::path alone =
      folder.write("alone.json", R"({"model_type": "rotated_fcos", "evaluation": 0.5})");
  CHECK(complaint(alone) == alone.string() + ": evaluation: wants an object of settings, got 0.5");
}

TEST_CASE("Texts that are no JSON are refused at their place, in few words", "[cli][config]") {
  const Folder folder;
  const fs::path file = folder.write("run.json", "{\n  \"model_type\": \"rotated_fcos\"\n  x}");
  CHECK(complaint(file).starts_with(file.string() + ":3:3: is no JSON: "));
  folder.write("run.json", "{\"model_type\": ");
  CHECK(complaint(file).starts_with(file.string() + ":1:16: is no JSON: unexpected end of input"));
  folder.write("run.json", "{\"model_type\": \"" + std::string(10000, 'x') + "\n");
  CHECK(complaint(file).size() < file.string().size() + 250);
  folder.write("run.json", "{\"num_classes\": 1e999}");
  CHECK(complaint(file).find("is no JSON: ") != std::string::npos);
  folder.write("run.json", "{\"class_names\": [" + std::string(2 << 20, ' ') + "]}");
  CHECK(complaint(file).find("more than 1 MiB") != std::string::npos);
  CHECK(complaint(file.parent_path()).find("is a folder") != std::string::npos);
}

TEST_CASE("JSON files that are none of oriented-det's are refused", "[cli][config]") {
  const Folder folder;
  const auto refused = [&](const std::string& text) {
    CHECK_THROWS_AS(resolved(folder.write("bad.json", text)), config::ConfigError);
  };
  refused("");
  refused("[1]");
  refused(R"({"model_type": "rotated_rtmdet"})");
  refused(R"({"model_type": ["rotated_fcos"]})");
  refused(R"({"_base_": "bad.json", "model_type": "rotated_fcos"})");
  refused(R"({"_base_": 7, "model_type": "rotated_fcos"})");
  refused(R"({"model_type": "rotated_fcos", "preprocessing": {"target_size": [800, 600, 3]}})");
  // A key that is misspelt, networks that are none of ours, floors of unknown classes.
  refused(R"({"model_type": "rotated_fcos", "production": {"score_treshold": 0.5}})");
  refused(R"({"model_type": "rotated_fcos", "production": {"use_first_image_canvas": true}})");
  refused(R"({"model_type": "rotated_fcos", "model": {"fpn_extra_level": false}})");
  refused(R"({"model_type": "rotated_retinanet", "model": {"anchor_angles": [0, 45]}})");
  refused(R"({"model_type": "oriented_rcnn", "model": {"target_stds": [1, 1, 1, 1, 1]}})");
  refused(R"({"model_type": "rotated_fcos", "class_names": ["car"],
              "production": {"per_class_score_threshold": {"cars": 0.5}}})");
  refused(R"({"model_type": "rotated_fcos", "class_map": {"car": 1, "ship": 3}})");
  refused(R"({"model_type": "rotated_fcos", "production": {"score_threshold": "high"}})");
  refused(std::string(100000, '['));
  CHECK_THROWS_AS(resolved("no such file.json"), config::ConfigError);
}

}  // namespace
}  // namespace grasppanda::app
