// Which nvcc compiles the CUDA kernels, and what it is asked for; compilers are shell scripts.
#include "app/commands/cuda_toolkit.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <string>
#include <vector>

#include "app/commands/child_process.h"
#include "app/commands/cuda_module_recipe.h"
#include "app/report_error.h"
#include "lib/ops/cuda_module.h"
#include "lib/ops/errors.h"
#include "tests/catch.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {
namespace {

namespace fs = std::filesystem;

/// A compiler that knows its version.
fs::path make_nvcc(const ScratchFolder& folder, const std::string& place,
                   const std::string& version) {
  const fs::path file = folder.file(
      place + "/nvcc",
      "#!/bin/sh\ncase $1 in\n--version) echo 'Cuda compilation tools, release " + version + ", V" +
          version +
          ".1' ;;\n--list-gpu-code) printf 'sm_90\\nsm_75\\nsm_100\\nsm_90a\\n' ;;\nesac\n");
  fs::permissions(file, fs::perms::owner_all);
  return file;
}

app::CudaToolkit toolkit(const std::string& version) {
  return {"/cuda-" + version + "/bin/nvcc", version, version, {75, 90, 100}};
}

app::CudaModuleRecipe recipe() {
  return app::read_cuda_module_recipe(fs::path(GRASPPANDA_BUILD_DIR) / "libgrasppanda.so");
}

}  // namespace

TEST_CASE("nvcc is found in CUDA_HOME before PATH") {
  const ScratchFolder folder;
  const fs::path home = make_nvcc(folder, "home/bin", "12.8");
  const fs::path on_path = make_nvcc(folder, "path", "13.0");
  folder.file("broken/nvcc", "not executable");
  const auto found = app::find_cuda_toolkits(
      {{"CUDA_HOME", (folder.path() / "home").string()},
       {"PATH", "/nowhere:" + (folder.path() / "broken").string() + ":" +
                    (folder.path() / "path").string() + ":" + home.parent_path().string()}});
  REQUIRE(found.size() >= 2);  // this machine may have more
  CHECK(found[0].nvcc == fs::canonical(home));
  CHECK(found[0].version == "12.8");
  CHECK(found[0].architectures == std::vector<int>{75, 90, 100});
  CHECK(found[1].nvcc == fs::canonical(on_path));
  CHECK(found[1].version == "13.0");
  CHECK(found[0].identity != found[1].identity);
}

TEST_CASE("the toolkit is LibTorch's exact CUDA version, else the same major") {
  const std::vector<app::CudaToolkit> found = {toolkit("11.8"), toolkit("12.8"), toolkit("12.4")};
  CHECK(app::choose_cuda_toolkit(found, "12.4").version == "12.4");
  CHECK(app::choose_cuda_toolkit(found, "12.6").version == "12.8");
  CHECK(app::choose_cuda_toolkit(found, "").version == "11.8");
  CHECK_THROWS_AS(app::choose_cuda_toolkit(found, "13.0"), ops::BackendError);
  CHECK_THROWS_AS(app::choose_cuda_toolkit({}, ""), ops::BackendError);
}

TEST_CASE("architectures: those of the recipe that nvcc knows, or TORCH_CUDA_ARCH_LIST") {
  const app::CudaModuleRecipe wanted = recipe();
  CHECK(app::settle_architectures(wanted, toolkit("13.0"), "").text() == "75+PTX 90 100");
  CHECK(app::settle_architectures(wanted, toolkit("13.0"), "8.0;9.0a 12.0+PTX").text() ==
        "80 90a 120+PTX");
  CHECK_THROWS_AS(app::settle_architectures(wanted, toolkit("13.0"), "Hopper"), app::UsageError);
  CHECK_THROWS_AS(app::settle_architectures(wanted, toolkit("13.0"),
                                            "8.0;"
                                            "sm_90"),
                  app::UsageError);
}

TEST_CASE("the recipe in the sources has the revision of this program and forbids contraction") {
  const app::CudaModuleRecipe read = recipe();
  CHECK(read.revision == ops::cuda_source_revision());
  CHECK(read.sources.size() >= 4);
  const auto command =
      app::compile_command(read, toolkit("13.0"), {{"75"}, {"75"}}, "/out/module.so");
  const auto has = [&](const std::string& word) {
    return std::ranges::find(command, word) != command.end();
  };
  for (const char* word :
       {"--fmad=false", "-ftz=false", "-prec-div=true", "-prec-sqrt=true", "-cudart=static",
        "arch=compute_75,code=sm_75", "arch=compute_75,code=compute_75", "/out/module.so"})
    CHECK(has(word));
  for (const std::string& word : command) CHECK(word.find("fast") == std::string::npos);
}

TEST_CASE("the recipe names every file that its files include") {
  const app::CudaModuleRecipe read = recipe();
  std::vector<std::string> files = read.sources;
  files.insert(files.end(), read.headers.begin(), read.headers.end());
  static const std::regex ours("#include \"(lib/[^\"]+)\"");
  int includes = 0;
  for (const std::string& name : files) {
    std::ifstream file(read.root / name);
    REQUIRE(file);
    for (std::string line; std::getline(file, line);) {
      std::smatch match;
      if (!std::regex_search(line, match, ours)) continue;
      ++includes;
      INFO(name << " includes " << match[1]);
      CHECK(std::ranges::find(read.headers, match[1].str()) != read.headers.end());
    }
  }
  CHECK(includes > 10);
}

TEST_CASE("a program that is run: its words, its status, its output") {
  const app::ChildResult said = app::run_child({"sh", "-c", "echo out; echo err >&2; exit 3"});
  CHECK(said.status == 3);
  CHECK(said.output == "out\nerr\n");
  CHECK(app::run_child({"sh", "-c", "kill -9 $$"}).status == 128 + 9);
  CHECK(app::run_child({"/nowhere/program"}).status == 127);
  const ScratchFolder folder;
  const fs::path log = folder.file("log", "before\n");
  CHECK(app::run_child({"sh", "-c", "echo later"}, log).status == 0);
  CHECK(fs::file_size(log) == std::string("before\nlater\n").size());
}

}  // namespace grasppanda::tests
