// `train` says no.
#pragma once

#include "app/exit_code.h"
#include "app/invocation.h"

namespace grasppanda::app {

ExitCode run_train(const Invocation& invocation);

}  // namespace grasppanda::app
