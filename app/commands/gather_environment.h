// Asks every part of the program for its line in env.json.
#pragma once

#include "lib/run/environment.h"

namespace grasppanda::app {

/// Runs the operators' self-checks. Under 1.5 s, LibTorch's start included.
run::Environment gather_environment();

}  // namespace grasppanda::app
