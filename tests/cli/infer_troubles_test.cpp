// Every trouble frame through the real program: verdict, exit status, numbers.
#include "lib/io/npy.h"
#include "tests/catch.h"
#include "tests/cli/infer_setup.h"
#include "tests/support/damaged_bytes.h"

using namespace grasppanda;
using namespace grasppanda::tests;
namespace fs = std::filesystem;

namespace {

bool in_metres(const std::string& name) {
  return name == "depth_metres_npy" || name == "depth_nan_inf_npy";
}

void check_cloud(const nlohmann::ordered_json& cloud, const nlohmann::json& expected,
                 double tolerance) {
  CHECK(cloud["points"] == expected["points"]);
  for (const char* field : {"min", "max", "mean"}) {
    if (!expected.contains(field)) continue;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      CHECK(cloud[field][axis].get<double>() ==
            Approx(expected[field][axis].get<double>()).margin(tolerance));
    }
  }
}

}  // namespace

TEST_CASE("trouble frames that must be refused: one line, status 3, no result", "[cli][infer]") {
  GP_NEED_DATA(frames, "data/troubles/frames");
  const InferFolder folder("[npy]");
  int refused = 0;
  const auto expected = json_file(frames / "expected.json");
  for (const auto& [name, verdict] : expected.items()) {
    if (verdict["verdict"] != "reject") continue;
    INFO(name);
    const Finished finished = folder.infer(
        {(frames / name).string(), "--set", "input.depth.scale=auto", "--no-progress"});
    CHECK(finished.status == 3);
    CHECK(finished.err.find('\n') == finished.err.size() - 1);
    CHECK(finished.err.starts_with("grasppanda: error: " + (frames / name).string()));
    const fs::path run = folder.run_of(finished);
    CHECK_FALSE(fs::exists(run / "predictions"));
    CHECK(json_file(run / "summary.json")["status"] == "failed");
    ++refused;
  }
  CHECK(refused == 7);
}

TEST_CASE("trouble frames that must run: status 0, the numbers of the expectation",
          "[cli][infer]") {
  GP_NEED_DATA(frames, "data/troubles/frames");
  const InferFolder folder("[npy, json]");
  const auto expected = json_file(frames / "expected.json");
  std::vector<std::string> factor_in_meta, metres;
  for (const auto& [name, verdict] : expected.items()) {
    const std::string word = verdict["verdict"];
    if (word == "reject" || word == "warn_or_reject") continue;
    (in_metres(name) ? metres : factor_in_meta).push_back((frames / name).string());
  }
  REQUIRE(factor_in_meta.size() + metres.size() == 19);
  std::vector<std::string> first = factor_in_meta, second = metres;
  first.insert(first.end(), {"--set", "input.depth.scale=auto", "--no-progress"});
  second.insert(second.end(), {"--set", "input.depth.scale=1", "--no-progress"});
  const Finished with_factor = folder.infer(first), with_metres = folder.infer(second);
  CHECK(with_factor.status == 0);
  CHECK(with_metres.status == 0);
  const fs::path factor_run = folder.run_of(with_factor), metre_run = folder.run_of(with_metres);
  const auto base = read_bytes(factor_run / "predictions/base.npy");

  for (const auto& [name, verdict] : expected.items()) {
    const std::string word = verdict["verdict"];
    if (word == "reject" || word == "warn_or_reject") continue;
    INFO(name << ": " << word);
    const fs::path run = in_metres(name) ? metre_run : factor_run;
    const auto input = input_of(run, name);
    const io::Array grasps = io::read_npy(run / input["predictions"].get<std::string>());
    REQUIRE(grasps.shape.size() == 2);
    CHECK(grasps.shape[1] == 17);
    const bool integer_meta = name == "meta_integer_factor";
    if (verdict.contains("cloud")) {
      check_cloud(input["cloud"], verdict["cloud"], integer_meta ? 1e-4 : 2e-6);
    }
    if (word == "empty") {
      CHECK(input["status"] == "empty");
      CHECK(grasps.shape[0] == 0);
      CHECK(input["warnings"].size() == 1);
      CHECK(json_file(run / ("predictions/" + name + ".json"))["grasps"].empty());
    } else if (word != "accept_or_empty") {
      CHECK(input["status"] == "done");
      CHECK(grasps.shape[0] > 0);
    }
    // The same points in the same order give the same bytes.
    const bool same_points = word == "same_as base" && !in_metres(name);
    if (same_points) CHECK(read_bytes(run / ("predictions/" + name + ".npy")) == base);
  }
}

TEST_CASE("a depth unit that cannot be right is spoken of, with the figure", "[cli][infer]") {
  GP_NEED_DATA(frames, "data/troubles/frames/depth_unit_slip_factor_1");
  const InferFolder folder("[npy]");
  const Finished finished =
      folder.infer({frames.string(), "--set", "input.depth.scale=auto", "--no-progress"});
  CHECK((finished.status == 3 || finished.status == 0));
  CHECK(finished.err.find("619 m") != std::string::npos);
  CHECK(finished.err.find('\n') == finished.err.size() - 1);
}
