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
  return config::parse_config(package_config_yaml(file), file.string(), {}, key_tables());
}

TEST_CASE("A JSON file of oriented-det is a configuration", "[cli][config]") {
  const Folder folder;
  folder.write("base.json", R"({"model_type": "oriented_rcnn", "class_map": {"ship": 2, "plane": 1},
    "_muted_note": [1], "model": {"rpn_pre_nms_top_n": 2000, "final_nms_use_cpu": false},
    "preprocessing": {"target_size": [800, 800], "resize_mode": "pad",
                      "mean": [123.675, 116.28, 103.53]}})");
  const fs::path file = folder.write("run.JSON", R"({"_base_": "base.json",
    "production": {"rpn_pre_nms_top_n": 6000, "score_threshold": 0.55, "overlap_pixels": null}})");
  REQUIRE(is_package_config(file));
  const config::Config config = resolved(file);
  CHECK(config.text("model.name") == "oriented_rcnn");
  CHECK(config.text("model.family") == "oriented_det");
  CHECK(config.texts("detect.classes") == std::vector<std::string>{"plane", "ship"});
  CHECK(config.integer("model.rpn.pre_nms") == 6000);
  CHECK(config.text("detect.nms.method") == "sampled");
  CHECK(config.number("detect.display_threshold") == 0.55);
  CHECK(config.integer("detect.tiling.overlap") == 200);
  CHECK(config.integer("detect.tiling.min_side") == 0);
  CHECK(config.integer("input.size") == 800);
  CHECK(config.text("model.resize_mode") == "pad");
  CHECK(config.numbers("model.mean")[0] == Approx(0.485));
  CHECK(config.numbers("model.std")[0] == Approx(0.229));
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
  refused(R"({"model_type": "rotated_fcos", "preprocessing": {"target_size": [800, 600]}})");
  refused(R"({"model_type": "rotated_fcos", "production": {"score_threshold": "high"}})");
  refused(std::string(100000, '['));
  CHECK_THROWS_AS(package_config_yaml("no such file.json"), config::ConfigError);
}

}  // namespace
}  // namespace grasppanda::app
