#include "app/commands/cuda_module_cache.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/utsname.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "app/commands/libtorch_facts.h"
#include "app/report_error.h"
#include "lib/io/atomic_file.h"
#include "lib/io/format_error.h"
#include "lib/ops/cuda_module.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

std::string lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

// "linux-x86_64"
std::string platform() {
  utsname name{};
  if (::uname(&name) != 0) return "unknown";
  return lower(name.sysname) + "-" + name.machine;
}

// "cu130", "cpu"
std::string variant() {
  std::string version = libtorch_cuda_version();
  std::erase(version, '.');
  return version.empty() ? "cpu" : "cu" + version;
}

// Also of a variable that is set to nothing.
std::string value(const std::map<std::string, std::string>& environment, const char* name) {
  const auto found = environment.find(name);
  return found == environment.end() ? std::string() : found->second;
}

fs::path cache_root(const std::map<std::string, std::string>& environment) {
  if (const std::string own = value(environment, "GRASPPANDA_OPS_CACHE"); !own.empty()) return own;
  if (const std::string all = value(environment, "GRASPPANDA_CACHE"); !all.empty())
    return fs::path(all) / "ops";
  const std::string home = value(environment, "HOME");
  if (home.empty())
    throw UsageError("no place for compiled kernels: HOME is not set; set GRASPPANDA_OPS_CACHE");
  return fs::path(home) / ".cache" / "grasppanda" / "ops";
}

}  // namespace

fs::path cuda_cache_folder(const std::map<std::string, std::string>& environment) {
  return fs::absolute(cache_root(environment)) /
         ("libtorch-" + libtorch_version() + "-" + variant() + "-" + platform() + "-" +
          ops::cuda_source_revision());
}

std::optional<CudaBuildRecord> read_build_record(const fs::path& folder) {
  std::ifstream file(folder / "build.json");
  const auto json = nlohmann::json::parse(file, nullptr, false);
  if (!json.is_object()) return {};  // also: not there
  try {
    return CudaBuildRecord{json.at("built"), json.at("compiler"), json.at("architectures"),
                           json.at("seconds")};
  } catch (const nlohmann::json::exception&) {
    return {};
  }
}

void write_build_record(const fs::path& folder, const CudaBuildRecord& record) {
  const nlohmann::ordered_json json = {{"built", record.built},
                                       {"compiler", record.compiler},
                                       {"architectures", record.architectures},
                                       {"seconds", record.seconds}};
  io::write_file_atomically(
      folder / "build.json",
      json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n");
}

int BuildLock::open(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path file = folder / "lock";
  const int descriptor = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644);
  if (descriptor < 0)
    throw io::FormatError(file.string() + ": " + std::strerror(errno) +
                          "; set GRASPPANDA_OPS_CACHE to a folder that you may write to");
  return descriptor;
}

bool BuildLock::try_lock() const {
  return ::flock(descriptor_, LOCK_EX | LOCK_NB) == 0;
}

void BuildLock::wait() const {
  while (::flock(descriptor_, LOCK_EX) != 0 && errno == EINTR) {
  }
}

BuildLock::~BuildLock() {
  ::close(descriptor_);
}

}  // namespace grasppanda::app
