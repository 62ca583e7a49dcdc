#include "app/commands/libtorch_facts.h"

#include <ATen/Version.h>
#include <torch/version.h>

namespace grasppanda::app {

namespace {

// "NAME=value, " among the build settings.
std::string build_setting(const std::string& name) {
  const std::string settings = at::show_config();
  const std::size_t begin = settings.find(name + "=");
  if (begin == std::string::npos) return {};
  const std::size_t value = begin + name.size() + 1;
  return settings.substr(value, settings.find_first_of(", \n", value) - value);
}

}  // namespace

std::string libtorch_version() {
  // Of the library that was loaded; the headers are the second choice.
  const std::string version = build_setting("TORCH_VERSION");
  return version.empty() ? TORCH_VERSION : version;
}

std::string libtorch_cuda_version() {
  return build_setting("CUDA_VERSION");
}

}  // namespace grasppanda::app
