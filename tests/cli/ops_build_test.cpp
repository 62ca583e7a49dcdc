// `ops build` with compilers that are shell scripts, and once with the real one.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>

#include "tests/catch.h"
#include "tests/cli/program.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModule = "libgrasppanda_ops_cuda.so";

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string text_of(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

/// A toolkit folder whose nvcc writes down how it was called and then does `work`, with $out for
/// the file that it should make.
class Toolkit {
 public:
  explicit Toolkit(const std::string& work, const std::string& version = "13.0") {
    write(work, version);
    // Which version fits depends on the LibTorch of this build; it says so.
    const std::string& said = build({}).err;
    const std::string wants = "no nvcc fits LibTorch's CUDA ";
    if (const std::size_t at = said.find(wants); at != std::string::npos) {
      const std::size_t begin = at + wants.size();
      version_ = said.substr(begin, said.find(':', begin) - begin);
    }
    fs::remove_all(cache());
    fs::remove(calls_file());
    write(work, version_);
  }

  Finished build(std::vector<std::string> options,
                 std::map<std::string, std::string> more = {}) const {
    ProgramSettings settings;
    settings.environment = {{"CUDA_HOME", home()}, {"GRASPPANDA_OPS_CACHE", cache().string()}};
    settings.environment.merge(more);
    settings.limit = std::chrono::seconds(280);
    options.insert(options.begin(), {"ops", "build"});
    // Whether the build has the module beside the program must not matter.
    options.push_back("--force");
    return run_program(options, settings);
  }
  void write(const std::string& work, const std::string& version, int revision = 1) {
    version_ = version;
    const fs::path nvcc = folder_.file(
        "cuda/bin/nvcc", "#!/bin/sh\ncase $1 in\n--version) echo 'release " + version + ", V" +
                             version + "." + std::to_string(revision) +
                             "'; exit ;;\n--list-gpu-code) printf 'sm_75\\nsm_90\\n'; exit "
                             ";;\nesac\necho \"$@\" >> '" +
                             calls_file().string() +
                             "'\nfor word; do [ \"$last\" = -o ] && out=$word; last=$word; done\n" +
                             work + "\n");
    fs::permissions(nvcc, fs::perms::owner_all);
  }
  std::string calls() const { return text_of(calls_file()); }
  fs::path cache() const { return folder_.path() / "cache"; }
  std::string home() const { return (folder_.path() / "cuda").string(); }
  const std::string& version() const { return version_; }
  /// The one folder of the cache.
  fs::path entry() const {
    for (const auto& entry : fs::directory_iterator(cache())) return entry.path();
    return {};
  }

 private:
  fs::path calls_file() const { return folder_.path() / "calls"; }
  ScratchFolder folder_;
  std::string version_;
};

fs::path real_module() {
  return built_program().parent_path() / kModule;
}

/// The program in a folder of its own, without CUDA kernels beside it.
class ProgramAlone {
 public:
  ProgramAlone() {
    fs::copy_file(built_program(), folder_.path() / "grasppanda");
    fs::create_symlink(built_program().parent_path() / "libgrasppanda.so",
                       folder_.path() / "libgrasppanda.so");
  }
  fs::path program() const { return folder_.path() / "grasppanda"; }

 private:
  ScratchFolder folder_;
};

}  // namespace

TEST_CASE("ops build --cpu-only builds nothing and names the CPU kernels", "[cli]") {
  const Finished done = run_program({"ops", "build", "--cpu-only"});
  CHECK(done.status == 0);
  CHECK(contains(done.out, "libgrasppanda.so"));
  CHECK(contains(done.err, "CPU kernels"));
}

TEST_CASE("ops build calls nvcc as the contract says and keeps what it made", "[cli]") {
  if (!fs::exists(real_module())) GP_SKIP("this build has no CUDA kernels to hand out");
  const Toolkit toolkit("cp '" + real_module().string() + "' \"$out\"");
  const Finished done = toolkit.build({});
  INFO(done.err);
  REQUIRE(done.status == 0);
  const fs::path module = toolkit.entry() / kModule;
  CHECK(done.out == module.string() + "\n");
  CHECK(fs::exists(module));
  CHECK(contains(module.parent_path().filename().string(), "libtorch-"));
  CHECK(contains(module.parent_path().filename().string(), "linux-"));
  const std::string calls = toolkit.calls();
  CHECK(std::count(calls.begin(), calls.end(), '\n') == 1);
  for (const char* word : {"--fmad=false", "-prec-div=true", "arch=compute_75,code=compute_75",
                           "arch=compute_75,code=sm_75", "arch=compute_90,code=sm_90"})
    CHECK(contains(calls, word));
  CHECK_FALSE(contains(calls, "fast_math"));

  const Finished other = toolkit.build({}, {{"TORCH_CUDA_ARCH_LIST", "9.0+PTX"}});
  CHECK(other.status == 0);
  CHECK(contains(toolkit.calls(), "arch=compute_90,code=compute_90"));
  CHECK(toolkit.build({}, {{"TORCH_CUDA_ARCH_LIST", "Hopper"}}).status == 2);
}

TEST_CASE("ops build tells a failed build in one line with its log", "[cli]") {
  const Toolkit toolkit("echo 'error: no luck' >&2; exit 2");
  const Finished failed = toolkit.build({"--quiet"});
  CHECK(failed.status == 4);
  CHECK(failed.out.empty());
  CHECK(std::count(failed.err.begin(), failed.err.end(), '\n') == 1);
  CHECK(contains(failed.err, "grasppanda: error: compiling the CUDA kernels failed"));
  const fs::path log = toolkit.entry() / "build.log";
  CHECK(contains(failed.err, log.string()));
  CHECK(contains(text_of(log), "error: no luck"));
  CHECK_FALSE(fs::exists(toolkit.entry() / kModule));
}

TEST_CASE("a library that cannot be opened is a failed build", "[cli]") {
  const Toolkit toolkit("echo rubbish > \"$out\"");
  const Finished failed = toolkit.build({"--quiet"});
  CHECK(failed.status == 4);
  CHECK(contains(failed.err, "cannot be opened"));
  CHECK_FALSE(fs::exists(toolkit.entry() / kModule));
}

TEST_CASE("a failed build is not tried again by the same nvcc", "[cli]") {
  Toolkit toolkit("exit 2");
  const ProgramAlone alone;
  const auto build = [&](std::vector<std::string> options) {
    ProgramSettings settings;
    settings.program = alone.program();
    settings.environment = {{"CUDA_HOME", toolkit.home()},
                            {"GRASPPANDA_OPS_CACHE", toolkit.cache().string()}};
    options.insert(options.begin(), {"ops", "build"});
    return run_program(options, settings);
  };
  const auto calls = [&] {
    const std::string text = toolkit.calls();
    return std::count(text.begin(), text.end(), '\n');
  };
  CHECK(build({}).status == 4);
  CHECK(calls() == 1);
  const Finished again = build({});
  CHECK(again.status == 4);
  CHECK(contains(again.err, "failed before"));
  CHECK(calls() == 1);
  CHECK(build({"--force"}).status == 4);
  CHECK(calls() == 2);
  // Another compiler has another chance.
  toolkit.write("exit 2", toolkit.version(), 2);
  CHECK(build({}).status == 4);
  CHECK(calls() == 3);
}

TEST_CASE("two programs compile the CUDA kernels once", "[cli]") {
  if (!fs::exists(real_module())) GP_SKIP("this build has no CUDA kernels to hand out");
  const Toolkit toolkit("sleep 1; cp '" + real_module().string() + "' \"$out\"");
  const ProgramAlone alone;
  const auto build = [&](Finished& finished) {
    ProgramSettings settings;
    settings.program = alone.program();
    settings.environment = {{"CUDA_HOME", toolkit.home()},
                            {"GRASPPANDA_OPS_CACHE", toolkit.cache().string()}};
    finished = run_program({"ops", "build"}, settings);
  };
  Finished first, second;
  std::thread other([&] { build(second); });
  build(first);
  other.join();
  CHECK(first.status == 0);
  CHECK(second.status == 0);
  CHECK(first.out == second.out);
  // And every other one of this kind finds them.
  ProgramSettings settings;
  settings.program = alone.program();
  settings.environment = {{"GRASPPANDA_OPS_CACHE", toolkit.cache().string()}};
  const Finished env = run_program({"env", "--json"}, settings);
  CHECK(contains(env.out, "\"path\": \"" + first.out.substr(0, first.out.size() - 1) + "\""));
  CHECK(env.err == "");
  const std::string calls = toolkit.calls();
  CHECK(std::count(calls.begin(), calls.end(), '\n') == 1);
}

TEST_CASE("where the cache lies", "[cli]") {
  const Toolkit toolkit("exit 2");
  const ScratchFolder home;
  const std::string folder = home.path().string();
  ProgramSettings settings;
  settings.environment = {{"CUDA_HOME", toolkit.home()}, {"HOME", folder}};
  CHECK(contains(run_program({"ops", "build", "--force"}, settings).err,
                 folder + "/.cache/grasppanda/ops/libtorch-"));
  settings.environment["GRASPPANDA_CACHE"] = folder + "/cache";
  CHECK(contains(run_program({"ops", "build", "--force"}, settings).err,
                 folder + "/cache/ops/libtorch-"));
  settings.environment["GRASPPANDA_OPS_CACHE"] = folder + "/own";
  CHECK(
      contains(run_program({"ops", "build", "--force"}, settings).err, folder + "/own/libtorch-"));
}

TEST_CASE("the real nvcc compiles the installed sources", "[cli]") {
  if (!fs::exists(real_module())) GP_SKIP("no nvcc when this was configured");
  const ScratchFolder cache;
  ProgramSettings settings;
  settings.limit = std::chrono::seconds(280);
  settings.environment = {{"GRASPPANDA_OPS_CACHE", cache.path().string()},
                          {"TORCH_CUDA_ARCH_LIST", "8.0"}};
  const Finished done = run_program({"ops", "build", "--force"}, settings);
  INFO(done.err);
  if (contains(done.err, "no nvcc fits")) GP_SKIP("this machine's nvcc is of another CUDA");
  REQUIRE(done.status == 0);
  CHECK(fs::file_size(done.out.substr(0, done.out.size() - 1)) > 100000);
}

}  // namespace grasppanda::tests
