#include "lib/config/key_table.h"

#include <set>

#include "lib/config/key_set.h"
#include "lib/config/suggest.h"
#include "lib/config/wanted.h"
#include "tests/catch.h"
#include "tests/config/tables.h"

namespace grasppanda::tests {

TEST_CASE("every row of the key tables is complete", "[config]") {
  for (const config::KeyTable* table : tables()) {
    std::set<std::string_view> paths;
    REQUIRE_FALSE(table->keys.empty());
    for (const config::Key& key : table->keys) {
      CAPTURE(table->owner, key.path);
      CHECK(paths.insert(key.path).second);
      CHECK_FALSE(key.help.empty());
      CHECK(key.help.find('\n') == std::string_view::npos);
      CHECK_FALSE(key.help.ends_with('.'));
      CHECK_FALSE(config::wanted(key).empty());
      CHECK((!key.only_words || !key.words.empty()));
      CHECK((key.form.empty() == (key.has_form == nullptr)));
      if (table->owner != "common") CHECK(key.path.starts_with("model."));
      for (const config::Key& other : table->keys)
        CHECK_FALSE(other.path.starts_with(std::string(key.path) + "."));
    }
    for (const config::Key& key : table->other_defaults) {
      CAPTURE(table->owner, key.path);
      CHECK(config::KeySet(tables(), nullptr).find(key.path) != nullptr);
    }
  }
}

// The published defaults, as the contract states them.
TEST_CASE("defaults are the published ones", "[config]") {
  const config::Config config = load(kModel);
  const std::pair<const char*, const char*> defaults[] = {
      {"model.checkpoint", "none"},
      {"input.depth.scale", "auto"},
      {"input.depth.min", "0"},
      {"input.depth.max", "auto"},
      {"input.workspace_mask", "auto"},
      {"input.limit_box", "none"},
      {"input.object_mask", "none"},
      {"input.intrinsics", "auto"},
      {"input.stretch", "none"},
      {"input.bands", "auto"},
      {"postprocess.nms.translation", "0.03"},
      {"postprocess.nms.rotation_deg", "30"},
      {"postprocess.collision.enabled", "true"},
      {"postprocess.collision.cloud", "full"},
      {"postprocess.collision.threshold", "0.01"},
      {"postprocess.collision.voxel_size", "0.01"},
      {"postprocess.collision.approach_distance", "0.05"},
      {"postprocess.top_k", "0"},
      {"postprocess.max_width", "none"},
      {"postprocess.approach_cone_deg", "none"},
      {"detect.classes", "auto"},
      {"detect.head", "auto"},
      {"detect.display_threshold", "0"},
      {"detect.score_threshold", "0.05"},
      {"detect.nms.iou", "0.1"},
      {"detect.nms.method", "exact"},
      {"detect.nms.class_agnostic", "false"},
      {"detect.nms.multi_label", "false"},
      {"detect.max_detections", "auto"},
      {"detect.tiling.window", "1024"},
      {"detect.tiling.overlap", "200"},
      {"detect.tiling.merge_iou", "0.1"},
      {"detect.tiling.min_side", "1500"},
      {"runtime.device", "auto"},
      {"runtime.threads", "0"},
      {"runtime.seed", "0"},
      {"runtime.ops.fps", "auto"},
      {"runtime.ops.ball_query", "auto"},
      {"runtime.ops.cylinder_query", "auto"},
      {"runtime.ops.knn", "auto"},
      {"runtime.rotated.backend", "auto"},
      {"evaluation.convention", "dota"},
      {"evaluation.use_exact_rotated_iou", "true"},
      {"output.formats", "[npy, json, ply, png, html]"},
      {"output.frame", "camera"},
      {"model.up", "auto"},
      {"model.fps_start", "first"},
      {"model.gripper_width", "0.08"},
      {"model.opening", "full"},
      {"model.score_threshold", "0.5"},
      {"input.num_points", "20000"},
  };
  const std::string yaml = config.to_yaml(false);
  for (const auto& [path, text] : defaults) {
    CAPTURE(path);
    const std::string leaf(std::string_view(path).substr(std::string_view(path).rfind('.') + 1));
    CHECK(yaml.find(" " + leaf + ": " + text + "\n") != std::string::npos);
    CHECK(config.origin(path) == "default");
  }
  CHECK(config.file("output.dir") == "runs");
  for (const config::Key& key : config::common_keys().keys)
    if (key.path == "input.num_points") CHECK(key.default_yaml == "15000");
}

TEST_CASE("the shipped configuration is valid and says what the defaults say", "[config]") {
  const std::filesystem::path file =
      std::filesystem::path(GRASPPANDA_SOURCE_DIR) / "configs/contact_graspnet.yaml";
  const config::Config shipped = config::load_config(file, {}, tables());
  CHECK(shipped.to_yaml(false) == load(kModel).to_yaml(false));
}

TEST_CASE("nearest word", "[config]") {
  using config::edit_distance;
  CHECK(edit_distance("", "abc") == 3);
  CHECK(edit_distance("fps", "fps") == 0);
  CHECK(edit_distance("devcie", "device") == 1);  // a swap is one step
  CHECK(edit_distance("kitten", "sitting") == 3);
  const std::vector<std::string_view> words = {"infer", "env", "config", "runtime.seed"};
  CHECK(config::nearest("infr", words) == "infer");
  CHECK(config::nearest("seed", words) == "runtime.seed");
  CHECK(config::nearest("zebra", words).empty());
  CHECK(config::nearest(std::string(100000, 'i'), words).empty());
  CHECK(config::did_you_mean("confg", words) == "; did you mean 'config'?");
  CHECK(config::did_you_mean("zebra", words).empty());
}

}  // namespace grasppanda::tests
