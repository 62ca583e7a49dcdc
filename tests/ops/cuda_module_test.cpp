// Finding and opening libgrasppanda_ops_cuda.so, with and without one at hand.
#include "lib/ops/cuda_module.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "lib/ops/log.h"
#include "lib/ops/shared_object_file.h"
#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

namespace fs = std::filesystem;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

/// Lines that the room logs while this is in scope.
class Lines {
 public:
  Lines() {
    before_ = ops::set_log_sink([this](std::string_view line) { lines.emplace_back(line); });
  }
  ~Lines() { ops::set_log_sink(std::move(before_)); }
  std::vector<std::string> lines;

 private:
  ops::LogSink before_;
};

std::string garbage_file() {
  const fs::path file = fs::temp_directory_path() / "grasppanda_no_library.so";
  std::ofstream(file) << "this is no library";
  return file.string();
}

ops::CudaModuleSource source_of(std::vector<std::string> files) {
  return {[files = std::move(files)] { return files; }, {}};
}

}  // namespace

TEST_CASE("a file that is no library of CUDA kernels is refused with a reason") {
  CHECK(contains(ops::open_cuda_module("/nowhere/lib.so").missing, "/nowhere/lib.so"));
  CHECK(contains(ops::open_cuda_module(garbage_file()).missing, "cannot be opened"));
  const ops::CudaModule other = ops::open_cuda_module("libm.so.6");
  CHECK(contains(other.missing, "is no library of CUDA kernels"));
  CHECK(other.path.empty());
}

TEST_CASE("a library that ends too early is not opened, which would kill the process") {
  const fs::path whole = "/proc/self/exe", cut = fs::temp_directory_path() / "grasppanda_cut.so";
  CHECK(ops::why_not_whole(fs::canonical(whole).string()) == "");
  CHECK(ops::why_not_whole(garbage_file()) == "");
  std::string bytes(200000, '\0');
  REQUIRE(std::ifstream(whole, std::ios::binary).read(bytes.data(), 200000));
  for (const std::streamsize size :
       {std::streamsize{200000}, std::streamsize{1000}, std::streamsize{64}, std::streamsize{63},
        std::streamsize{0}}) {
    std::ofstream(cut, std::ios::binary | std::ios::trunc).write(bytes.data(), size);
    INFO(size);
    CHECK(contains(ops::open_cuda_module(cut.string()).missing, "cannot be opened"));
    CHECK((ops::why_not_whole(cut.string()) == "") == (size < 64));
  }
}

TEST_CASE("the library of this build opens without a GPU") {
  const fs::path file = fs::path(GRASPPANDA_BUILD_DIR) / ops::kCudaModuleFile;
  if (!fs::exists(file)) GP_SKIP("this build has no CUDA kernels (no nvcc)");
  const ops::CudaModule module = ops::open_cuda_module(file.string());
  CHECK(module.missing == "");
  CHECK(module.path == file.string());
  REQUIRE(module.functions.search_scratch != nullptr);
  CHECK(module.functions.search_scratch(2, 100) == 0);
  CHECK(module.functions.search_scratch(2, 1281) == 2 * 6 * 11 * sizeof(float));
}

TEST_CASE("a missing module is one line of the log, however often it is asked for") {
  const Lines log;
  ops::CudaModuleSearch search(source_of({"/nowhere/lib.so"}));
  CHECK(contains(search.found().missing, "ops build"));
  CHECK(log.lines.empty());
  CHECK(contains(search.used().missing, "ops build"));
  CHECK(&search.used() == &search.used());
  CHECK(contains(search.found().missing, "ops build"));
  REQUIRE(log.lines.size() == 1);
  CHECK(contains(log.lines[0], "run on their references"));
}

TEST_CASE("a module that cannot be used is built once") {
  const Lines log;
  int builds = 0;
  ops::CudaModuleSource source = source_of({garbage_file()});
  source.build = [&builds] {
    ++builds;
    return ops::BuiltCudaModule{"", "no nvcc here"};
  };
  ops::CudaModuleSearch search(source);
  CHECK(contains(search.found().missing, "cannot be opened"));
  CHECK(builds == 0);
  CHECK(contains(search.used().missing, "no nvcc here"));
  CHECK(contains(search.used().missing, "cannot be opened"));
  CHECK(builds == 1);
  CHECK(log.lines.size() == 1);
}

TEST_CASE("a module that was built is opened like one that was found") {
  const Lines log;
  ops::CudaModuleSource source = source_of({});
  source.build = [] { return ops::BuiltCudaModule{"/nowhere/built.so", ""}; };
  ops::CudaModuleSearch search(source);
  CHECK(contains(search.used().missing, "/nowhere/built.so"));
}

TEST_CASE("the source revision is sixteen hexadecimal digits") {
  CHECK(ops::cuda_source_revision().size() == 16);
  CHECK(ops::cuda_source_revision().find_first_not_of("0123456789abcdef") == std::string::npos);
}

}  // namespace grasppanda::tests
