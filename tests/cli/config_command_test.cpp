#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/cli/program.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {

using nlohmann::json;

TEST_CASE("config validate", "[cli]") {
  const ScratchFolder folder;
  folder.file("run.yaml", "model: {name: contact_graspnet}\n");
  folder.file("bad.yaml", "model: {name: contact_graspnet}\ninput:\n  num_point: 3\nseed: 1\n");

  const Finished good = run_program({"config", "validate", "run.yaml"}, {.folder = folder.path()});
  CHECK(good.status == 0);
  CHECK(good.out == "run.yaml: ok\n");
  CHECK(good.err == "");

  const Finished bad = run_program({"config", "validate", "bad.yaml"}, {.folder = folder.path()});
  CHECK(bad.status == 2);
  CHECK(bad.out == "");
  CHECK(bad.err ==
        "grasppanda: error: bad.yaml:3:3: input.num_point: unknown key; did you mean "
        "'input.num_points'?\n"
        "grasppanda: error: bad.yaml:4:1: seed: unknown key; did you mean 'runtime.seed'?\n");

  const Finished missing = run_program({"config", "validate", "-c", "none.yaml"});
  CHECK(missing.status == 2);
  CHECK(missing.err == "grasppanda: error: none.yaml: no such file\n");
}

TEST_CASE("config validate --json: one object, also on failure", "[cli]") {
  const ScratchFolder folder;
  folder.file("run.yaml", "model: {name: contact_graspnet}\n");
  folder.file("bad.yaml", "model: {name: contact_graspnet}\ninput:\n  num_point: 3\nseed: 1\n");
  const Finished good =
      run_program({"config", "validate", "run.yaml", "--json"}, {.folder = folder.path()});
  CHECK(json::parse(good.out) ==
        json({{"schema", "grasppanda.config/1"}, {"ok", true}, {"file", "run.yaml"}}));

  const Finished bad =
      run_program({"config", "validate", "--json", "bad.yaml"}, {.folder = folder.path()});
  CHECK(bad.status == 2);
  const json answer = json::parse(bad.out);
  CHECK(answer["schema"] == "grasppanda.config/1");
  CHECK(answer["ok"] == false);
  CHECK(answer["error"]["kind"] == "config");
  CHECK(answer["error"]["file"] == "bad.yaml");
  CHECK(answer["error"]["line"] == 3);
  CHECK(answer["error"]["problems"].size() == 2);
  CHECK(answer["error"]["problems"][1]["message"] ==
        "seed: unknown key; did you mean 'runtime.seed'?");
  CHECK_THAT(bad.err, Catch::Matchers::Contains("grasppanda: error: bad.yaml:3:3: "));

  const Finished usage = run_program({"config", "validate", "--json", "--zebra"});
  CHECK(usage.status == 2);
  CHECK(json::parse(usage.out)["error"]["kind"] == "usage");
}

TEST_CASE("config show: every value with its origin, and it loads again", "[cli]") {
  const ScratchFolder folder;
  folder.file("run.yaml",
              "model:\n  name: contact_graspnet\n  checkpoint: w.pth\nruntime: {seed: 3}\n");
  const Finished shown =
      run_program({"config", "show", "run.yaml", "--set", "postprocess.top_k=50", "--threads", "2",
                   "--out", "results", "--set", "runtime.ops.knn=auto"},
                  {.folder = folder.path(), .environment = {{"GRASPPANDA_OPS", "reference"}}});
  REQUIRE(shown.status == 0);
  CHECK(shown.err == "");
  const auto has = [&](const std::string& line, const std::string& origin) {
    std::string padded = line;
    padded.resize(std::max<std::size_t>(padded.size() + 2, 48), ' ');
    CAPTURE(line, shown.out);
    CHECK(("\n" + shown.out).find("\n" + padded + "# " + origin + "\n") != std::string::npos);
  };
  const std::string here = std::filesystem::canonical(folder.path()).string();
  has("  name: contact_graspnet", "run.yaml:2");
  has("  checkpoint: " + here + "/w.pth", "run.yaml:3");
  has("  up: auto", "default");
  has("  num_points: 20000", "default");
  has("  top_k: 50", "--set");
  has("  threads: 2", "--threads");
  has("  seed: 3", "run.yaml:4");
  has("    fps: reference", "GRASPPANDA_OPS");
  has("    knn: auto", "--set");
  has("  dir: " + here + "/results", "--out");

  folder.file("shown.yaml", shown.out);
  const Finished again = run_program({"config", "show", "shown.yaml"}, {.folder = folder.path()});
  REQUIRE(again.status == 0);
  const auto without_origins = [](const std::string& text) {
    std::string plain;
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = text.find('\n', begin);
      const std::string line = text.substr(begin, end - begin);
      plain += line.substr(0, line.find_last_not_of(' ', line.find('#') - 1) + 1) + "\n";
      begin = end + 1;
    }
    return plain;
  };
  CHECK(without_origins(again.out) == without_origins(shown.out));
}

TEST_CASE("config show --json", "[cli]") {
  const ScratchFolder folder;
  folder.file("run.yaml",
              "model: {name: contact_graspnet, up: [0, 0, 1]}\n"
              "input: {intrinsics: {fx: 600, fy: 601, cx: 320, cy: 240}}\n");
  const Finished shown =
      run_program({"config", "show", "run.yaml", "--json"}, {.folder = folder.path()});
  CHECK(shown.status == 0);
  const json answer = json::parse(shown.out);
  CHECK(answer["schema"] == "grasppanda.config/1");
  CHECK(answer["ok"] == true);
  std::map<std::string, json> values;
  for (const json& entry : answer["values"]) values[entry["key"]] = entry;
  CHECK(values["model.up"]["value"] == json({0, 0, 1}));
  CHECK(values["model.up"]["origin"] == "run.yaml:1");
  CHECK(values["input.intrinsics"]["value"]["fy"] == 601);
  CHECK(values["input.depth.scale"]["value"] == "auto");
  CHECK(values["postprocess.sort"]["value"] == true);
  CHECK(values["runtime.seed"]["value"] == 0);
}

TEST_CASE("flags and GRASPPANDA_OPS are checked like the file", "[cli]") {
  const ScratchFolder folder;
  folder.file("run.yaml", "model: {name: contact_graspnet}\n");
  const auto error = [&](std::vector<std::string> more, const std::string& ops = "") {
    more.insert(more.begin(), {"config", "validate", "run.yaml"});
    const Finished finished =
        run_program(more, {.folder = folder.path(), .environment = {{"GRASPPANDA_OPS", ops}}});
    CHECK(finished.status == (finished.err.empty() ? 0 : 2));
    return finished.err;
  };
  const std::string start = "grasppanda: error: ";
  CHECK(error({}) == "");
  CHECK(
      error({"--seed", "-1"}) ==
      start +
          "--seed: runtime.seed: -1 is out of range; wants a whole number from 0 to 4294967295\n");
  CHECK(error({"--threads", "[x"}) ==
        start +
            "--threads: runtime.threads: wants a whole number from 0 to 4096, got the text '[x'\n");
  CHECK(error({"--device", "cud"}) ==
        start +
            "--device: runtime.device: wants auto, cpu, cuda or cuda:N, got 'cud'; did you mean "
            "'cuda'?\n");
  CHECK(error({"--set", "runtime.sed=1"}) ==
        start + "--set: runtime.sed: unknown key; did you mean 'runtime.seed'?\n");
  CHECK(error({"--set", "runtime.seed"}) == start + "--set wants KEY=VALUE, got 'runtime.seed'\n");
  CHECK(error({}, "compiled") == "");
  CHECK(error({}, "fps=reference,knn=compiled") == "");
  CHECK(error({}, "refrence") ==
        start +
            "GRASPPANDA_OPS: wants one backend (auto, reference, compiled) or a list such as "
            "fps=reference,knn=compiled, got 'refrence'; did you mean 'reference'?\n");
  CHECK(error({}, "knnn=compiled") ==
        start +
            "GRASPPANDA_OPS: no operator 'knnn'; it has fps, ball_query, cylinder_query, knn, "
            "sparse_convolution, rotated; "
            "did you mean 'knn'?\n");
  CHECK(error({}, "knn=fast") ==
        start + "GRASPPANDA_OPS: knn wants auto, reference or compiled, got 'fast'\n");
  CHECK_THAT(error({}, "fps=reference,fps=compiled"),
             Catch::Matchers::Contains("'fps' is named twice"));
}

TEST_CASE("a misspelt GRASPPANDA_OPS is told by commands without a configuration, too", "[cli]") {
  const Finished finished = run_program({"env"}, {.environment = {{"GRASPPANDA_OPS", "refrence"}}});
  CHECK(finished.status == 2);
  CHECK(finished.out == "");
  CHECK_THAT(finished.err, Catch::Matchers::StartsWith("grasppanda: error: GRASPPANDA_OPS: "));
}

}  // namespace grasppanda::tests
