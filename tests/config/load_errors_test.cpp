// Every kind of mistake in a config, with the exact sentence.
#include "tests/catch.h"
#include "tests/config/tables.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {

namespace {

using Lines = std::vector<std::string>;

struct Mistake {
  const char* name;
  std::string yaml;
  std::string line;
};

}  // namespace

TEST_CASE("a mistake in a config is told with its place and a way out", "[config]") {
  const Mistake mistakes[] = {
      {"unknown key, near a known one", kModel + "input:\n  num_point: 3\n",
       "run.yaml:3:3: input.num_point: unknown key; did you mean 'input.num_points'?"},
      {"unknown key, near nothing", kModel + "input:\n  zebra: 3\n",
       "run.yaml:3:3: input.zebra: unknown key"},
      {"unknown section", kModel + "inptu:\n  num_points: 3\n",
       "run.yaml:2:1: inptu: unknown key; did you mean 'input'?"},
      {"right name, wrong place", kModel + "seed: 3\n",
       "run.yaml:2:1: seed: unknown key; did you mean 'runtime.seed'?"},
      {"swapped letters", kModel + "runtime: {devcie: cpu}\n",
       "run.yaml:2:11: runtime.devcie: unknown key; did you mean 'runtime.device'?"},
      {"key of the model", "model:\n  name: contact_graspnet\n  score_treshold: 0.5\n",
       "run.yaml:3:3: model.score_treshold: unknown key; did you mean 'model.score_threshold'?"},
      {"merge key", kModel + "input:\n  <<: 3\n",
       "run.yaml:3:3: input.<<: unknown key; merge keys are not part of YAML 1.2, write the values "
       "out"},

      {"word for a whole number", kModel + "input: {num_points: many}\n",
       "run.yaml:2:21: input.num_points: wants a whole number from 1 to 10000000, got 'many'"},
      {"fraction for a whole number", kModel + "input: {num_points: 1e4}\n",
       "run.yaml:2:21: input.num_points: wants a whole number from 1 to 10000000, got '1e4'"},
      {"quoted number", kModel + "input: {num_points: '15000'}\n",
       "run.yaml:2:21: input.num_points: wants a whole number from 1 to 10000000, got the text "
       "'15000'"},
      {"beyond 64 bits", kModel + "runtime: {seed: 99999999999999999999}\n",
       "run.yaml:2:17: runtime.seed: wants a whole number from 0 to 4294967295, got "
       "'99999999999999999999'"},
      {"list for a number", kModel + "input: {num_points: [1, 2]}\n",
       "run.yaml:2:21: input.num_points: wants a whole number from 1 to 10000000, got a list of 2"},
      {"nothing for a number", kModel + "input:\n  num_points:\n",
       "run.yaml:3:3: input.num_points: wants a whole number from 1 to 10000000, got nothing"},
      {"too small", kModel + "postprocess: {top_k: -1}\n",
       "run.yaml:2:22: postprocess.top_k: -1 is out of range; wants a whole number from 0 to "
       "2147483647"},
      {"too large", kModel + "detect: {score_threshold: 1.5}\n",
       "run.yaml:2:27: detect.score_threshold: 1.5 is out of range; wants a number from 0 to 1"},
      {"exactly on a bound that is excluded", kModel + "input: {depth: {scale: 0}}\n",
       "run.yaml:2:24: input.depth.scale: 0 is out of range; wants a number greater than 0 or "
       "auto"},
      {"not a number", kModel + "input: {depth: {scale: .nan}}\n",
       "run.yaml:2:24: input.depth.scale: wants a number greater than 0 or auto, got '.nan'"},
      {"word for a truth value", kModel + "postprocess: {sort: maybe}\n",
       "run.yaml:2:21: postprocess.sort: wants true or false, got 'maybe'"},
      {"misspelt choice", kModel + "runtime: {ops: {fps: refrence}}\n",
       "run.yaml:2:22: runtime.ops.fps: wants auto, reference or compiled, got 'refrence'; did you "
       "mean 'reference'?"},
      {"device", kModel + "runtime: {device: 'cuda:-1'}\n",
       "run.yaml:2:19: runtime.device: wants auto, cpu, cuda or cuda:N, got the text 'cuda:-1'"},
      {"scalar for a section", kModel + "runtime: cpu\n",
       "run.yaml:2:10: runtime: wants a map of settings (device, threads, seed, ops, rotated), got "
       "'cpu'"},
      {"a section that can be switched off", kModel + "postprocess: {nms: none}\n",
       "run.yaml:2:20: postprocess.nms: wants a map of settings (enabled, translation, "
       "rotation_deg), got 'none'; postprocess.nms.enabled: false switches it off"},
      {"list of the wrong length", kModel + "input: {limit_box: [0, 1]}\n",
       "run.yaml:2:20: input.limit_box: wants a list of 6 numbers or none, got a list of 2"},
      {"a list with a word", kModel + "input: {limit_box: [0, 1, 0, x, 0, 1]}\n",
       "run.yaml:2:20: input.limit_box: wants a list of 6 numbers or none; one is 'x'"},
      {"a box inside out", kModel + "input: {limit_box: [1, 0, 0, 1, 0, 1]}\n",
       "run.yaml:2:20: input.limit_box: each minimum must be less than its maximum"},
      {"a fraction among whole numbers", kModel + "input: {bands: [0, 1, 2.5]}\n",
       "run.yaml:2:16: input.bands: wants a list of 3 whole numbers from 0 to 65535 or auto; one "
       "is "
       "'2.5'"},
      {"direction", kModel + "postprocess: {approach_direction: [0, 0, 0]}\n",
       "run.yaml:2:35: postprocess.approach_direction: a direction must not be zero"},
      {"intrinsics: missing entry", kModel + "input: {intrinsics: {fx: 6, fy: 6, cx: 3}}\n",
       "run.yaml:2:21: input.intrinsics: 'cy' is missing"},
      {"intrinsics: other entry", kModel + "input: {intrinsics: {fx: 6, f_y: 6, cx: 3, cy: 2}}\n",
       "run.yaml:2:21: input.intrinsics: wants a path, {fx, fy, cx, cy} or auto, got a map with "
       "'f_y'; did you mean 'fy'?"},
      {"intrinsics: no camera", kModel + "input: {intrinsics: {fx: 0, fy: 6, cx: 3, cy: 2}}\n",
       "run.yaml:2:21: input.intrinsics: the focal lengths fx and fy must be greater than 0"},
      {"format", kModel + "output: {formats: [npy, jsn]}\n",
       "run.yaml:2:19: output.formats: wants a list of npy, json, ply, png, html, dota, geojson, "
       "coco or "
       "yolo; one is 'jsn'; did "
       "you "
       "mean 'json'?"},
      {"format twice", kModel + "output: {formats: [npy, npy]}\n",
       "run.yaml:2:19: output.formats: 'npy' is listed twice"},

      {"key twice", kModel + "input:\n  num_points: 3\n  num_points: 4\n",
       "run.yaml:4:3: 'num_points' is given twice; first in line 3"},
      {"key twice, once with dots", kModel + "input:\n  num_points: 3\ninput.num_points: 4\n",
       "run.yaml:4:1: input.num_points: is given twice; first in line 3"},
      {"no model", "input: {num_points: 3}\n",
       "run.yaml: model.name: is missing; this version has contact_graspnet"},
      {"empty", "", "run.yaml: model.name: is missing; this version has contact_graspnet"},
      {"misspelt model", "model: {name: contact_graspent}\n",
       "run.yaml:1:15: model.name: unknown model 'contact_graspent'; did you mean "
       "'contact_graspnet'?"},
      {"no such model", "model: {name: zebra}\n",
       "run.yaml:1:15: model.name: unknown model 'zebra'; this version has contact_graspnet"},
      {"contradiction", kModel + "input:\n  depth:\n    min: 2\n    max: 1\n",
       "input.depth.max (1, run.yaml:5) must be greater than input.depth.min (2, run.yaml:4)"},
  };
  for (const Mistake& mistake : mistakes) DYNAMIC_SECTION(mistake.name) {
      CHECK(problems(mistake.yaml) == Lines{mistake.line});
    }
}

TEST_CASE("all mistakes are told together, in the order of the file", "[config]") {
  const std::string yaml =
      "runtime:\n"
      "  seed: x\n"
      "model:\n"
      "  name: contact_graspnet\n"
      "  upp: 3\n"
      "seed: 3\n"
      "output:\n"
      "  formats: npy\n";
  CHECK(problems(yaml, {{"runtime.threads", "-3", "--threads"}, {"input.foo", "1", "--set"}}) ==
        Lines{"run.yaml:2:9: runtime.seed: wants a whole number from 0 to 4294967295, got 'x'",
              "run.yaml:5:3: model.upp: unknown key; did you mean 'model.up'?",
              "run.yaml:6:1: seed: unknown key; did you mean 'runtime.seed'?",
              "run.yaml:8:12: output.formats: wants a list of npy, json, ply, png, html, dota, "
              "geojson, "
              "coco or yolo, got 'npy'",
              "--threads: runtime.threads: -3 is out of range; wants a whole number from 0 to 4096",
              "--set: input.foo: unknown key"});
}

TEST_CASE("an override that is no YAML is told under its own name", "[config]") {
  CHECK(problems(kModel, {{"input.limit_box", "[1, 2", "--set"}}) ==
        Lines{"--set: input.limit_box: a list or map cannot be a key; is a ']' or '}' missing?"});
}

TEST_CASE("a config file that cannot be read is told", "[config]") {
  const ScratchFolder folder;
  const auto lines = [&](const std::filesystem::path& file) -> std::string {
    try {
      config::load_config(file, {}, tables());
    } catch (const config::ConfigError& error) {
      return error.what();
    }
    return "no error";
  };
  const std::filesystem::path missing = folder.path() / "none.yaml";
  CHECK(lines(missing) == missing.string() + ": no such file");
  CHECK(lines(folder.path()) == folder.path().string() + ": is a folder, not a run config");
  const auto binary = folder.file("weights.pth", std::string("PK\3\4\0\0", 6));
  CHECK(lines(binary) == binary.string() + ": is a binary file; a run config is a YAML text");
  const auto huge = folder.file("huge.yaml", std::string(300 * 1024, '#'));
  CHECK(lines(huge) ==
        huge.string() + ": is larger than 256 KiB; a run config is a short YAML text");
}

}  // namespace grasppanda::tests
