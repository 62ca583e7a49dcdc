#include "app/library.h"

#include <dlfcn.h>

#include <filesystem>
#include <string>
#include <system_error>

#include "app/report_error.h"
#include "lib/run/build_info.h"

namespace grasppanda::app {

namespace fs = std::filesystem;

std::string build_name() {
  const run::BuildInfo info = run::build_info();
  return info.version + " (" + info.commit.substr(0, 12) + ", " + info.compiler + ", " +
         std::to_string(sizeof(Invocation)) + ")";
}

namespace {

constexpr const char* kFile = "libgrasppanda.so";

/// The linker's words, without the path that stands in front of them.
std::string why(const std::string& library) {
  const char* text = dlerror();
  std::string reason = text == nullptr ? "unknown reason" : text;
  if (reason.starts_with(library + ": ")) reason.erase(0, library.size() + 2);
  return reason;
}

fs::path find_library() {
  std::error_code error;
  const fs::path program = fs::read_symlink("/proc/self/exe", error);
  const fs::path folder = program.parent_path();
  for (const fs::path& candidate : {folder / kFile, folder.parent_path() / "lib" / kFile})
    if (!error && fs::exists(candidate, error)) return candidate;
  throw LibraryError(std::string(kFile) + " is neither in " + folder.string() + " nor in " +
                     (folder.parent_path() / "lib").string() +
                     "; build or install grasppanda as a whole");
}

}  // namespace

ExitCode run_in_library(const Invocation& invocation) {
  const std::string file = find_library().string();
  void* handle = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) throw LibraryError(file + " cannot be opened: " + why(file));
  using BuildFunction = const char* (*)();
  using RunFunction = int (*)(const Invocation&);
  const auto build = reinterpret_cast<BuildFunction>(dlsym(handle, kBuildFunction));
  const auto run = reinterpret_cast<RunFunction>(dlsym(handle, kRunFunction));
  if (build == nullptr || run == nullptr)
    throw LibraryError(file + " is not this program's library; build or install both together");
  if (build() != build_name())
    throw LibraryError(file + " is of build " + build() + ", the program of build " + build_name() +
                       "; build or install both together");
  return static_cast<ExitCode>(run(invocation));
}

}  // namespace grasppanda::app
