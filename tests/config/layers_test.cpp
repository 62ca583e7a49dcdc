// Which layer wins, what a value reads as, where it came from, and back to YAML.
#include "tests/catch.h"
#include "tests/config/tables.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {

TEST_CASE("later layers win, and each value knows where it came from", "[config]") {
  const std::string yaml = kModel +
                           "runtime:\n"
                           "  seed: 7\n"
                           "  ops: {fps: compiled, knn: compiled}\n";
  const config::Config config =
      load(yaml, {{"runtime.ops.fps", "reference", "GRASPPANDA_OPS"},
                  {"runtime.threads", "2", "--threads"},
                  {"runtime.threads", "3", "--set"},
                  {"runtime", "{ops: {ball_query: reference}}", "--set"}});
  CHECK(config.integer("runtime.seed") == 7);
  CHECK(config.origin("runtime.seed") == "run.yaml:3");
  CHECK(config.text("runtime.ops.fps") == "reference");
  CHECK(config.origin("runtime.ops.fps") == "GRASPPANDA_OPS");
  CHECK(config.text("runtime.ops.knn") == "compiled");
  CHECK(config.text("runtime.ops.ball_query") == "reference");
  CHECK(config.integer("runtime.threads") == 3);
  CHECK(config.origin("runtime.threads") == "--set");
  CHECK(config.origin("runtime.device") == "default");
  // The model's own default goes over the common one.
  CHECK(config.integer("input.num_points") == 20000);
}

TEST_CASE("the model may come from an override", "[config]") {
  CHECK(load("", {{"model.name", "contact_graspnet", "--set"}}).text("model.name") ==
        "contact_graspnet");
  CHECK(load("model: {name: gsnet}\n", {{"model.name", "contact_graspnet", "--set"}})
            .text("model.name") == "contact_graspnet");
}

TEST_CASE("values read as what they are", "[config]") {
  const config::Config config = load(kModel +
                                     "input:\n"
                                     "  depth: {scale: 4000, min: +0.25}\n"
                                     "  limit_box: [-0.3, 0.3, -0.2, 0.2, 0.3, 1]\n"
                                     "  intrinsics: {cy: 240.5, fx: 600, fy: 601, cx: 320}\n"
                                     "  workspace_mask: none\n"
                                     "  object_mask: \"none\"\n"
                                     "  stretch: percentile [1, 99]\n"
                                     "detect: {classes: [large vehicle, ship]}\n"
                                     "postprocess: {sort: off, max_width: null}\n"
                                     "runtime: {device: 'cuda:1'}\n"
                                     "output: {formats: []}\n");
  CHECK(config.number("input.depth.scale") == 4000);
  CHECK(config.number("input.depth.min") == 0.25);
  CHECK(config.is("input.depth.max", "auto"));
  CHECK(config.numbers("input.limit_box") == std::vector<double>{-0.3, 0.3, -0.2, 0.2, 0.3, 1});
  CHECK(config.has_numbers("input.intrinsics"));
  CHECK(config.numbers("input.intrinsics") == std::vector<double>{600, 601, 320, 240.5});
  CHECK(config.is("input.workspace_mask", "none"));
  CHECK_FALSE(config.is("input.object_mask", "none"));  // in quotes: a file of that name
  CHECK(config.file("input.object_mask") == "none");
  CHECK(config.numbers("input.stretch") == std::vector<double>{1, 99});
  CHECK(config.texts("detect.classes") == std::vector<std::string>{"large vehicle", "ship"});
  CHECK_FALSE(config.boolean("postprocess.sort"));
  CHECK(config.is("postprocess.max_width", "none"));
  CHECK(config.text("runtime.device") == "cuda:1");
  CHECK(config.texts("output.formats").empty());
  CHECK(config.has("runtime.seed"));
  CHECK_FALSE(config.has("runtime.sed"));
}

TEST_CASE("asking for a key that is not there, or as another type, is a fault of ours",
          "[config]") {
  const config::Config config = load(kModel);
  CHECK_THROWS_AS(config.integer("runtime.sed"), std::logic_error);
  CHECK_THROWS_AS(config.integer("runtime.device"), std::logic_error);
  CHECK_THROWS_AS(config.number("input.depth.scale"), std::logic_error);  // is 'auto'
  CHECK_THROWS_AS(config.file("model.checkpoint"), std::logic_error);     // is 'none'
}

TEST_CASE("paths are relative to where they were written", "[config]") {
  const ScratchFolder folder;
  const auto file = folder.file("sub/run.yaml",
                                "model: {name: contact_graspnet, checkpoint: weights/a.pth}\n"
                                "input: {workspace_mask: /abs/mask.png}\n");
  const config::Config config = config::load_config(
      file, std::vector<config::Override>{{"input.object_mask", "here.png", "--set"}}, tables());
  CHECK(config.file("model.checkpoint") == folder.path() / "sub/weights/a.pth");
  CHECK(config.file("input.workspace_mask") == "/abs/mask.png");
  CHECK(config.file("input.object_mask") == "here.png");
  CHECK(config.file("output.dir") == "runs");
  CHECK(config.source == file);
}

TEST_CASE("a configuration that is written out loads again as the same", "[config]") {
  const std::string yaml =
      kModel +
      "model.checkpoint: 'odd: name #1.pth'\n"
      "input:\n"
      "  depth: {scale: 0.1, max: 3.3333333333333335}\n"
      "  intrinsics: {fx: 600.5, fy: 601, cx: 320, cy: 240}\n"
      "  object_mask: \"none\"\n"
      "  limit_box: [-1e-05, 0.3, -0.2, 0.2, 0.3, 1e+20]\n"
      "detect: {classes: [\"true\", 'a: b', \"12\", \"q\\\"\\\\\\t\", large vehicle]}\n"
      "runtime: {seed: 4294967295, device: 'cuda:1'}\n";
  const config::Config first = load(yaml);
  for (const bool origins : {false, true}) {
    const std::string text = first.to_yaml(origins);
    const config::Config second = load(text);
    CHECK(second.to_yaml(false) == first.to_yaml(false));
    CHECK(second.number("input.depth.max") == 3.3333333333333335);
    CHECK(second.file("input.object_mask").is_absolute());
    CHECK(second.file("model.checkpoint").filename() == "odd: name #1.pth");
    CHECK(second.texts("detect.classes") == first.texts("detect.classes"));
  }
  CHECK_THAT(first.to_yaml(true), Catch::Matchers::Contains("  seed: 4294967295") &&
                                      Catch::Matchers::Contains("# run.yaml:8\n") &&
                                      Catch::Matchers::Contains("# default\n"));
}

}  // namespace grasppanda::tests
