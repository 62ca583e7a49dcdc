// `ops bench` and `ops check`: the real program.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/catch.h"
#include "tests/cli/program.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {
namespace {

using nlohmann::json;

#define GP_NEED_LIBRARY() \
  if (!library_is_built()) GP_SKIP("libgrasppanda.so is not built beside the program")

json read(const std::filesystem::path& file) {
  return json::parse(std::ifstream(file));
}

}  // namespace

TEST_CASE("ops bench: a table on stdout, the figures in a file", "[cli]") {
  GP_NEED_LIBRARY();
  const ScratchFolder folder;
  const Finished done = run_program({"ops", "bench", "--filter", "ball_query/1024x1024/*/b1",
                                     "--runs", "3", "--threads", "2", "--json", "bench.json"},
                                    {.folder = folder.path()});
  INFO(done.err);
  REQUIRE(done.status == 0);
  CHECK(done.out.find("grasppanda ") == 0);
  CHECK(done.out.find("\nball_query/1024x1024/16/b1 ") != std::string::npos);
  CHECK(done.out.find("\nball_query/1024x1024/64/b1 ") != std::string::npos);
  CHECK(done.out.find("fps/") == std::string::npos);

  const json bench = read(folder.path() / "bench.json");
  CHECK(bench.at("schema") == "grasppanda.bench/1");
  CHECK(bench.at("threads") == 2);
  CHECK_FALSE(bench.at("machine").at("cpu").get<std::string>().empty());
  CHECK_FALSE(bench.at("versions").at("libtorch").get<std::string>().empty());
  REQUIRE(bench.at("cases").size() == 2);
  for (const json& row : bench.at("cases")) {
    CHECK(row.at("device") == "cpu");
    CHECK(row.at("pairs") == 3);
    for (const char* backend : {"reference_ms", "compiled_ms"}) {
      CHECK(row.at(backend).at("min").get<double>() > 0);
      CHECK(row.at(backend).at("median") >= row.at(backend).at("min"));
    }
    CHECK(row.at("ratio").get<double>() > 0);
    CHECK_FALSE(row.contains("difference"));
  }
  CHECK(bench.at("cases")[0].at("case") == "ball_query/1024x1024/16/b1");
}

TEST_CASE("ops bench: models need no files and give a row per stage", "[cli]") {
  GP_NEED_LIBRARY();
  const ScratchFolder folder;
  const Finished done =
      run_program({"ops", "bench", "--models", "--filter", "model/contact_graspnet/*/b1", "--runs",
                   "1", "--json", "models.json"},
                  {.folder = folder.path(), .limit = std::chrono::seconds(180)});
  INFO(done.err);
  REQUIRE(done.status == 0);
  std::vector<std::string> rows;
  const json bench = read(folder.path() / "models.json");
  for (const json& row : bench.at("cases")) {
    rows.push_back(row.at("case"));
    CHECK(row.at("compiled_ms").at("min").get<double>() > 0);
    CHECK_FALSE(row.contains("difference"));
  }
  const std::string model = "model/contact_graspnet/";
  CHECK(rows == std::vector<std::string>{model + "prepare/b1", model + "network/b1",
                                         model + "postprocess/b1", model + "total/b1"});
}

TEST_CASE("ops bench: what is refused, with which status", "[cli]") {
  GP_NEED_LIBRARY();
  const ScratchFolder folder;
  const auto run = [&](std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"ops", "bench"});
    return run_program(arguments, {.folder = folder.path()});
  };
  const Finished nothing = run({"--filter", "fpss/*"});
  CHECK(nothing.status == 2);
  CHECK_THAT(nothing.err, Catch::Matchers::Contains("no case is called like 'fpss/*'"));
  CHECK(nothing.out == "");
  CHECK(run({"--filter", "fps/*3000/lowest*/b1", "--json", "no/such/file.json"}).status == 3);
  CHECK(run({"--runs", "-1"}).status == 2);
  CHECK(run({"--device", "cuda:99"}).status == 4);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("ops check: a line per operator, or one JSON object", "[cli]") {
  GP_NEED_LIBRARY();
  const Finished lines = run_program({"ops", "check", "--runs", "5", "--device", "cpu"});
  INFO(lines.err);
  REQUIRE(lines.status == 0);
  CHECK(lines.err == "");
  CHECK(std::count(lines.out.begin(), lines.out.end(), '\n') == 11);
  for (const char* name : {"fps", "ball_query", "cylinder_query", "nested_cylinder_query", "knn"})
    CHECK_THAT(lines.out, Catch::Matchers::Contains(std::string(name) + ": cpu: "));

  const Finished object =
      run_program({"ops", "check", "--runs", "2", "--seed", "7", "--device", "cpu", "--json"});
  REQUIRE(object.status == 0);
  const json check = json::parse(object.out);
  CHECK(check.at("schema") == "grasppanda.check/1");
  CHECK(check.at("ok") == true);
  CHECK(check.at("seed") == 7);
  REQUIRE(check.at("operators").size() == 11);
  for (const json& entry : check.at("operators")) {
    CHECK(entry.at("agrees") == true);
    CHECK(entry.at("kernels").at(0).at("ran") == true);
    CHECK(entry.at("settings").size() >= 3);
  }
  CHECK(run_program({"ops", "check", "--device", "cuda:99"}).status == 4);
}

}  // namespace grasppanda::tests
