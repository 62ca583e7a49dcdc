// `env` with the real program.
#include <nlohmann/json.hpp>

#include "tests/catch.h"
#include "tests/cli/program.h"

using namespace grasppanda::tests;

TEST_CASE("env --json is one object with everything in it", "[cli][env]") {
  const Finished finished = run_program({"env", "--json"});
  REQUIRE(finished.status == 0);
  CHECK(finished.err == "");
  const auto json = nlohmann::ordered_json::parse(finished.out);
  CHECK(json["schema"] == "grasppanda.env/1");
  for (const char* part :
       {"version", "commit", "build", "libtorch", "libraries", "cpu", "cuda", "ops"}) {
    CHECK(json.contains(part));
  }
  CHECK(json["cpu"]["cores"].get<int>() >= 1);
  CHECK_FALSE(json["libtorch"]["version"].get<std::string>().empty());
  CHECK(json["libraries"].contains("highway"));
  for (const auto& [name, version] : json["libraries"].items()) {
    INFO(name);
    CHECK(version.get<std::string>().find_first_of("0123456789") == 0);
  }
  for (const char* key : {"fps", "ball_query", "cylinder_query", "knn"}) {
    CHECK(json["ops"][key]["requested"] == "auto");
    const std::string cpu = json["ops"][key]["cpu"];
    CHECK((cpu == "reference" || cpu == "compiled"));
    if (cpu == "reference") CHECK_FALSE(json["ops"][key]["note"]["cpu"].get<std::string>().empty());
  }
  CHECK(json["ops"]["library"].contains("isa"));
}

TEST_CASE("env says what GRASPPANDA_OPS would do", "[cli][env]") {
  const auto ops = [](const std::string& text) {
    const Finished finished =
        run_program({"env", "--json"}, {.environment = {{"GRASPPANDA_OPS", text}}});
    INFO(finished.err);
    REQUIRE(finished.status == 0);
    return nlohmann::ordered_json::parse(finished.out)["ops"];
  };
  const auto all = ops("reference");
  for (const char* key : {"fps", "nested_cylinder_query", "knn", "rotated_iou"}) {
    CHECK(all[key]["requested"] == "reference");
    CHECK(all[key]["cpu"] == "reference");
    CHECK(all[key]["note"]["cpu"] == "reference was selected");
  }
  const auto some = ops("fps=reference,knn=compiled");
  CHECK(some["fps"]["requested"] == "reference");
  CHECK(some["knn"]["requested"] == "compiled");
  CHECK(some["ball_query"]["requested"] == "auto");
}

TEST_CASE("env for people names the same version", "[cli][env]") {
  const Finished finished = run_program({"env"});
  CHECK(finished.status == 0);
  CHECK(finished.err == "");
  const Finished version = run_program({"--version"});
  const std::string number = version.out.substr(version.out.find(' ') + 1, 5);
  CHECK(finished.out.find(number) != std::string::npos);
  CHECK(finished.out.find("LibTorch") != std::string::npos);
}
