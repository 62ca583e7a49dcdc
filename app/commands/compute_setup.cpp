#include "app/commands/compute_setup.h"

#include <ATen/Parallel.h>

#include "lib/ops/backend.h"
#include "lib/ops/cuda_devices.h"
#include "lib/ops/errors.h"
#include "lib/run/cpu_info.h"

namespace grasppanda::app {

namespace {

ops::Backend backend_from_word(const std::string& word) {
  if (word == "reference") return ops::Backend::reference;
  return word == "compiled" ? ops::Backend::compiled : ops::Backend::automatic;
}

}  // namespace

std::string settle_device(const config::Config& config) {
  return settle_device(config.text("runtime.device"));
}

std::string settle_device(const std::string& wanted) {
  if (wanted == "cpu") return wanted;
  const int count = ops::cuda_device_count();
  if (wanted == "auto") return count > 0 ? "cuda:0" : "cpu";
  const std::string refused = "device '" + wanted + "' is not available: ";
  if (count == 0)
    throw ops::BackendError(refused + ops::why_no_cuda_device() + "; use --device cpu or auto");
  const std::size_t index =
      wanted == "cuda" ? 0 : std::stoul(wanted.substr(std::string("cuda:").size()));
  if (index >= static_cast<std::size_t>(count))
    throw ops::BackendError(refused + "this machine has " + std::to_string(count) +
                            (count == 1 ? " CUDA device" : " CUDA devices") + ", counted from 0");
  return "cuda:" + std::to_string(index);
}

int set_threads(const config::Config& config) {
  return set_threads(config.integer("runtime.threads"));
}

int set_threads(std::int64_t wanted) {
  at::set_num_threads(wanted > 0 ? static_cast<int>(wanted) : run::available_cores());
  return at::get_num_threads();
}

void set_backends(const config::Config& config, const std::string& device) {
  ops::BackendChoice choice;
  for (const std::string_view key : ops::kSelectableOperators) {
    choice[key] = backend_from_word(config.text(ops::backend_config_key(key)));
  }
  ops::select_backends(choice, device.substr(0, device.find(':')));
}

ops::BackendChoice backends_of_environment(const Invocation& invocation) {
  const auto variable = invocation.environment.find("GRASPPANDA_OPS");
  return variable == invocation.environment.end() ? ops::BackendChoice{}
                                                  : ops::apply_backend_text({}, variable->second);
}

}  // namespace grasppanda::app
