// `ops run` through the real program: arrays in, arrays out, and what is refused.
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "lib/io/npy.h"
#include "lib/io/npz.h"
#include "tests/catch.h"
#include "tests/cli/program.h"
#include "tests/support/scratch_folder.h"

using namespace grasppanda;
using namespace grasppanda::tests;

namespace {

#define GP_NEED_LIBRARY() \
  if (!library_is_built()) GP_SKIP("libgrasppanda.so is not built beside the program")

// Five points on the x axis: 0, 1, 2, 3, 10.
io::Array line() {
  return io::make_array<float>({1, 5, 3}, std::vector<float>{0, 0, 0, 1, 0, 0, 2, 0, 0,  //
                                                             3, 0, 0, 10, 0, 0});
}
io::Array integer(std::int64_t value) {
  return io::make_array<std::int64_t>({}, std::vector<std::int64_t>{value});
}

Finished ops_run(const ScratchFolder& folder, std::vector<std::string> arguments,
                 std::map<std::string, std::string> environment = {}) {
  arguments.insert(arguments.begin(), {"ops", "run"});
  ProgramSettings settings;
  settings.folder = folder.path();
  settings.environment = std::move(environment);
  return run_program(arguments, settings);
}

std::vector<std::int64_t> index_of(const std::filesystem::path& archive) {
  return io::to_int64(io::NpzReader(archive).read("index"));
}

using Indices = std::vector<std::int64_t>;

}  // namespace

TEST_CASE("ops run: arrays and parameters from the archive, outputs under their names") {
  GP_NEED_LIBRARY();
  const ScratchFolder folder;
  io::write_npz(folder.path() / "in.npz",
                {{"points", line()}, {"num_samples", integer(4)}, {"not_an_input", integer(1)}});
  const Finished done = ops_run(folder, {"furthest_point_sample", "in.npz", "out.npz"});
  INFO(done.err);
  REQUIRE(done.status == 0);
  CHECK(done.out.empty());
  CHECK(io::NpzReader(folder.path() / "out.npz").names() == std::vector<std::string>{"index"});
  CHECK(index_of(folder.path() / "out.npz") == Indices{0, 4, 3, 1});

  SECTION("the short name, and --param over the archive") {
    const Finished other = ops_run(folder, {"fps", "in.npz", "out.npz", "--param", "num_samples=2",
                                            "--param", "tie_break=pointnet2_cuda"});
    INFO(other.err);
    REQUIRE(other.status == 0);
    CHECK(index_of(folder.path() / "out.npz") == Indices{0, 4});
  }
  SECTION("several archives go to a folder") {
    std::filesystem::copy(folder.path() / "in.npz", folder.path() / "two.npz");
    REQUIRE(ops_run(folder, {"fps", "in.npz", "two.npz", "picks"}).status == 0);
    CHECK(index_of(folder.path() / "picks" / "in.npz") ==
          index_of(folder.path() / "picks" / "two.npz"));
  }
  SECTION("text parameters as uint8") {
    const std::string rule = "pointnet2_cuda";
    io::write_npz(folder.path() / "in.npz",
                  {{"points", line()},
                   {"num_samples", integer(4)},
                   {"tie_break", io::make_array<std::uint8_t>(
                                     {static_cast<std::int64_t>(rule.size())},
                                     std::vector<std::uint8_t>(rule.begin(), rule.end()))}});
    REQUIRE(ops_run(folder, {"fps", "in.npz", "out.npz"}).status == 0);
    CHECK(index_of(folder.path() / "out.npz") == Indices{0, 4, 3, 2});
  }
}

TEST_CASE("ops run: what is refused, with which status, and nothing left behind") {
  GP_NEED_LIBRARY();
  const ScratchFolder folder;
  io::write_npz(folder.path() / "in.npz", {{"points", line()}});
  std::ofstream(folder.path() / "text.npz") << "no archive";
  struct Refusal {
    std::vector<std::string> arguments;
    int status;
    std::string message;
  };
  const std::vector<Refusal> refusals = {
      {{"fps", "in.npz", "out.npz"}, 2, "furthest_point_sample: num_samples is missing"},
      {{"fps", "in.npz", "out.npz", "--param", "num_sample=3"},
       2,
       "has no parameter 'num_sample'; did you mean 'num_samples'?"},
      {{"fps", "in.npz", "out.npz", "--param", "num_samples"}, 2, "wants NAME=VALUE"},
      {{"fps", "in.npz", "out.npz", "--param", "num_samples=-1"}, 2, "num_samples is -1"},
      {{"fps", "in.npz", "out.npz", "--param", "num_samples=1000000000000"},
       2,
       "num_samples is 1000000000000, wants at most 2147483647"},
      {{"fps", "in.npz", "in.npz", "--param", "num_samples=1"}, 2, "is input and output"},
      {{"fps", "gone.npz", "out.npz", "--param", "num_samples=1"}, 3, "gone.npz"},
      {{"fps", "text.npz", "out.npz", "--param", "num_samples=1"}, 3, "text.npz"},
      {{"fps", "in.npz", "no/such/out.npz", "--param", "num_samples=1"}, 3, "no/such/out.npz"},
      {{"--cases", ".", "out.npz"}, 3, "cases.json"},
  };
  for (const Refusal& refusal : refusals) {
    const Finished done = ops_run(folder, refusal.arguments);
    INFO(refusal.message << "\ngot: " << done.err);
    CHECK(done.status == refusal.status);
    CHECK(done.err.find(refusal.message) != std::string::npos);
    CHECK_FALSE(std::filesystem::exists(folder.path() / "out.npz"));
  }
}

TEST_CASE("ops run: of several archives a bad one does not stop the others") {
  GP_NEED_LIBRARY();
  const ScratchFolder folder;
  io::write_npz(folder.path() / "good.npz", {{"points", line()}});
  std::ofstream(folder.path() / "bad.npz") << "no archive";
  const Finished done =
      ops_run(folder, {"fps", "bad.npz", "good.npz", "out", "--param", "num_samples=2"});
  INFO(done.err);
  CHECK(done.status == 1);
  CHECK(done.err.find("bad.npz") != std::string::npos);
  CHECK(index_of(folder.path() / "out" / "good.npz") == Indices{0, 4});
  CHECK_FALSE(std::filesystem::exists(folder.path() / "out" / "bad.npz"));
}

TEST_CASE("ops run: backends by option and by GRASPPANDA_OPS") {
  GP_NEED_LIBRARY();
  const ScratchFolder folder;
  io::write_npz(folder.path() / "in.npz",
                {{"points", line()},
                 {"num_samples", integer(2)},
                 {"voxel_size", io::make_array<double>({}, std::vector<double>{0.5})}});
  const auto status = [&](const std::string& op, const std::string& backend,
                          const std::string& variable) {
    std::vector<std::string> arguments{op, "in.npz", "out.npz"};
    if (!backend.empty()) arguments.insert(arguments.end(), {"--backend", backend});
    std::map<std::string, std::string> environment;
    if (!variable.empty()) environment["GRASPPANDA_OPS"] = variable;
    return ops_run(folder, arguments, environment).status;
  };
  CHECK(status("fps", "reference", "") == 0);
  CHECK(status("fps", "auto", "") == 0);
  CHECK(status("fps", "", "reference") == 0);
  CHECK(status("fps", "", "fps=fast") == 2);
  // One implementation: the choice is ignored.
  CHECK(status("voxelize", "compiled", "") == 0);
  CHECK(status("voxelize", "", "compiled") == 0);
  // The option wins over the variable; both say the same where compiled cannot run.
  const int compiled = status("fps", "compiled", "");
  CHECK((compiled == 0 || compiled == 4));
  CHECK(status("fps", "", "compiled") == compiled);
  CHECK(status("fps", "reference", "compiled") == 0);
}

TEST_CASE(
    "ops run --cases: outputs by case, refusals as text, a case that cannot run is status 1") {
  GP_NEED_LIBRARY();
  const ScratchFolder folder;
  io::write_npz(folder.path() / "clouds.npz", {{"clouds/line", line()}});
  const std::string one =
      R"({"id": "a", "op": "furthest_point_sample", "inputs": {"points": "clouds/line"},
          "params": {"num_samples": 3}, "expect": {}})";
  const std::string two =
      R"({"id": "b", "op": "ball_query", "inputs": {"query": "clouds/line", "support":
          "clouds/line"}, "params": {"radius": "inf", "nsample": 2}, "expect": {}})";
  const std::string refused =
      R"({"id": "c", "op": "voxelize", "inputs": {"points": "clouds/line"},
          "params": {"voxel_size": -1}, "expect": {"error": true}})";
  const auto run = [&](const std::string& cases) {
    std::ofstream(folder.path() / "cases.json")
        << R"({"version": 1, "files": ["clouds.npz"], "cases": [)" << cases << "]}";
    return ops_run(folder, {"--cases", ".", "out.npz", "--threads", "2"});
  };
  const Finished done = run(one + "," + two + "," + refused);
  INFO(done.err);
  REQUIRE(done.status == 0);
  const io::NpzReader results(folder.path() / "out.npz");
  CHECK(results.names() == std::vector<std::string>{"a/index", "b/index", "b/count", "c/error"});
  CHECK(io::to_int64(results.read("a/index")) == Indices{0, 4, 3});
  CHECK(io::to_int64(results.read("b/count")) == Indices{2, 2, 2, 2, 2});
  const io::Array error = results.read("c/error");
  CHECK(error.dtype == io::DType::uint8);
  const auto bytes = error.as<std::uint8_t>();
  CHECK(std::string(bytes.begin(), bytes.end()).find("voxelize: voxel_size is -1") == 0);

  SECTION("an operator that there is not") {
    const Finished other =
        run(one + R"(, {"id": "d", "op": "zebra", "inputs": {}, "params": {}, "expect": {}})");
    CHECK(other.status == 1);
    CHECK(other.err.find("d: there is no operator 'zebra'") != std::string::npos);
    CHECK(io::NpzReader(folder.path() / "out.npz").contains("d/error"));
  }
  SECTION("a folder that does not hold what it says") {
    CHECK(run(R"({"id": "e", "op": "knn", "inputs": {"query": "clouds/gone"}})").status == 3);
    CHECK(run(one + "," + one).status == 3);
    CHECK(run("{").status == 3);
  }
}

TEST_CASE("ops run --cases runs every golden case") {
  GP_NEED_LIBRARY();
  GP_NEED_DATA(goldens, "goldens/ops");
  const ScratchFolder folder;
  const Finished done = ops_run(folder, {"--cases", goldens.string(), "out.npz"});
  INFO(done.err);
  REQUIRE(done.status == 0);
  CHECK(done.err.find("821 cases, 25 refused") != std::string::npos);
  std::set<std::string> ids;
  const io::NpzReader results(folder.path() / "out.npz");
  for (const std::string& name : results.names()) ids.insert(name.substr(0, name.find('/')));
  CHECK(ids.size() == 821);
}
