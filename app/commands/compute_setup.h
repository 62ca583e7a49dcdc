// Where a run computes: device, threads, backends of the operators.
#pragma once

#include <cstdint>
#include <string>

#include "app/invocation.h"
#include "lib/config/config.h"
#include "lib/ops/backend.h"

namespace grasppanda::app {

/// The device of `runtime.device` ("auto" settled): "cpu", "cuda:0". Throws ops::BackendError with
/// the reason when it was asked for by name and cannot be used.
std::string settle_device(const config::Config& config);
std::string settle_device(const std::string& wanted);

/// Sets LibTorch's threads as `runtime.threads` says (0: all cores this process may use) and
/// returns their number.
int set_threads(const config::Config& config);
int set_threads(std::int64_t wanted);

/// Sets the backends of the process as `runtime.ops` says (GRASPPANDA_OPS is a layer of the
/// configuration). Throws ops::BackendError when a compiled kernel is demanded that cannot run on
/// `device`.
void set_backends(const config::Config& config, const std::string& device);

/// What GRASPPANDA_OPS says, for commands without a configuration; automatic where it is not set.
/// Throws ops::ArgumentError naming the part that is wrong.
ops::BackendChoice backends_of_environment(const Invocation& invocation);

}  // namespace grasppanda::app
