// `grasppanda env`: what this installation is and what it would run with.
#include <iostream>
#include <nlohmann/json.hpp>

#include "app/commands/commands.h"
#include "app/commands/compute_setup.h"
#include "app/commands/gather_environment.h"
#include "lib/ops/backend.h"

namespace grasppanda::app {

ExitCode run_env(const Invocation& invocation) {
  // What a run would do here; a choice that cannot be had is part of the report, not an error.
  const ops::ScopedBackends scope(backends_of_environment(invocation));
  const run::Environment environment = gather_environment();
  if (invocation.has("--json")) {
    nlohmann::ordered_json json = environment_json(environment);
    std::cout << json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << "\n";
  } else {
    std::cout << environment_text(environment);
  }
  return ExitCode::done;
}

}  // namespace grasppanda::app
