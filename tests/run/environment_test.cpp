#include "lib/run/environment.h"

#include <nlohmann/json.hpp>

#include "tests/catch.h"

using namespace grasppanda;
using nlohmann::ordered_json;

namespace {

run::Environment some_environment() {
  run::Environment environment;
  environment.build = run::build_info();
  environment.libtorch_version = "2.11.0";
  environment.libraries = {{"libpng", "1.6.39"}};
  environment.cpu = {"A CPU", 2, {"avx2", "fma"}};
  environment.libtorch_isa = "AVX2";
  environment.cuda.note = "no CUDA driver";
  ops::OperatorReport fps{.key = "fps",
                          .requested = "auto",
                          .settled = {{"cpu", "reference"}},
                          .note = {{"cpu", "no compiled kernel in this build"}}};
  environment.ops.operators = {fps};
  return environment;
}

}  // namespace

TEST_CASE("env.json has the parts of the contract") {
  const ordered_json json = environment_json(some_environment());
  CHECK(json["schema"] == "grasppanda.env/1");
  CHECK(json["version"] == run::build_info().version);
  CHECK_FALSE(json["commit"].get<std::string>().empty());
  for (const char* part : {"compiler", "type", "flags", "cuda_architectures"}) {
    CHECK(json["build"].contains(part));
  }
  CHECK(json["libtorch"]["version"] == "2.11.0");
  CHECK(json["libtorch"].contains("abi"));
  CHECK(json["libraries"]["libpng"] == "1.6.39");
  CHECK(json["cpu"]["model"] == "A CPU");
  CHECK(json["cpu"]["cores"] == 2);
  CHECK(json["cpu"]["instruction_sets_seen"] == ordered_json({"avx2", "fma"}));
  CHECK(json["cuda"]["driver"].is_null());
  CHECK(json["cuda"]["devices"].empty());
  CHECK(json["ops"]["fps"] ==
        ordered_json({{"requested", "auto"},
                      {"cpu", "reference"},
                      {"note", {{"cpu", "no compiled kernel in this build"}}}}));
  CHECK(json["ops"]["library"]["cuda"] == false);
  CHECK_FALSE(json.contains("command_line"));
}

TEST_CASE("in a run env.json also holds what the run knows") {
  run::RunFacts facts{.command_line = {"grasppanda", "infer"},
                      .seed = 3,
                      .threads = 2,
                      .device = "cpu",
                      .checkpoint = run::FileStamp{"/w.pth", 9, "dd"},
                      .wall_seconds = std::nullopt,
                      .peak_memory = std::nullopt};
  ordered_json json = environment_json(some_environment(), facts);
  CHECK(json["command_line"] == ordered_json({"grasppanda", "infer"}));
  CHECK(json["seed"] == 3);
  CHECK(json["threads"] == 2);
  CHECK(json["device"] == "cpu");
  CHECK(json["checkpoint"]["sha256"] == "dd");
  CHECK(json["checkpoint"]["size"] == 9);
  CHECK(json["wall_seconds"].is_null());
  facts.wall_seconds = 1.5;
  facts.peak_memory = 1 << 20;
  json = environment_json(some_environment(), facts);
  CHECK(json["wall_seconds"] == 1.5);
  CHECK(json["peak_memory_bytes"] == 1 << 20);
}

TEST_CASE("the text form names the same things") {
  const std::string text = environment_text(some_environment());
  for (const char* part : {"2.11.0", "libpng 1.6.39", "A CPU", "no CUDA driver", "fps",
                           "no compiled kernel in this build"}) {
    CHECK(text.find(part) != std::string::npos);
  }
}

TEST_CASE("this machine can be asked") {
  const run::CpuInfo cpu = run::cpu_info();
  CHECK(cpu.cores >= 1);
  CHECK_FALSE(cpu.model.empty());
  const run::CudaInfo cuda = run::cuda_info();
  CHECK(cuda.devices.empty() == !cuda.note.empty());  // no device comes with its reason
  CHECK(run::peak_memory() > 1 << 20);
  CHECK(run::process_age() >= 0);
  CHECK(run::process_age() < 3600);
}
