// `config show` and `config validate`: they run in the small program.
#pragma once

#include "app/exit_code.h"
#include "app/invocation.h"

namespace grasppanda::app {

ExitCode run_config_show(const Invocation& invocation);
ExitCode run_config_validate(const Invocation& invocation);

}  // namespace grasppanda::app
