#include "app/commands/gather_environment.h"

#include <ATen/Version.h>

#include <algorithm>
#include <iterator>

#include "app/commands/libtorch_facts.h"
#include "app/library_versions.h"
#include "lib/io/library_versions.h"
#include "lib/ops/cuda_devices.h"
#include "lib/ops/highway_version.h"

namespace grasppanda::app {

run::Environment gather_environment() {
  run::Environment environment;
  environment.build = run::build_info();
  environment.libtorch_version = libtorch_version();
  environment.libtorch_cuda = ops::cuda_device_count() > 0;
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
