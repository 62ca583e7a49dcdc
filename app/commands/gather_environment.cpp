#include "app/commands/gather_environment.h"

#include <ATen/Context.h>
#include <ATen/Version.h>
#include <torch/version.h>

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>

#include "app/library_versions.h"
#include "lib/io/library_versions.h"
#include "lib/ops/highway_version.h"

namespace grasppanda::app {

namespace {

// Of the library that was loaded: its build settings name it; the headers are the second choice.
std::string loaded_libtorch_version() {
  const std::string settings = at::show_config();
  const std::string name = "TORCH_VERSION=";
  const std::size_t begin = settings.find(name);
  if (begin == std::string::npos) return TORCH_VERSION;
  const std::size_t value = begin + name.size();
  return settings.substr(value, settings.find_first_of(", \n", value) - value);
}

}  // namespace

run::Environment gather_environment() {
  run::Environment environment;
  environment.build = run::build_info();
  environment.libtorch_version = loaded_libtorch_version();
  environment.libtorch_cuda = at::globalContext().hasCUDA();
  environment.libtorch_isa = at::get_cpu_capability();
  environment.libraries = io::library_versions();
  std::ranges::copy(program_library_versions(), std::back_inserter(environment.libraries));
  environment.libraries.emplace_back("highway", ops::highway_version());
  std::ranges::sort(environment.libraries);
  environment.cpu = run::cpu_info();
  environment.ops = ops::backend_report();
  environment.cuda = run::cuda_info();
  return environment;
}

}  // namespace grasppanda::app
