// libgrasppanda.so: operators, models, evaluation, run. Opened only when a command needs it, so
// that help, completion and config do not wait for LibTorch.
#pragma once

#include "app/exit_code.h"
#include "app/invocation.h"

namespace grasppanda::app {

/// Runs the command in the library: next to the program, else in ../lib. Throws LibraryError when
/// it cannot be opened or is of another build than the program.
ExitCode run_in_library(const Invocation& invocation);

/// Names of the two functions that the library offers to the program (app/commands/entry.cpp).
inline constexpr const char* kRunFunction = "grasppanda_run";
inline constexpr const char* kBuildFunction = "grasppanda_build";
/// What both sides must agree on: version, commit, and the layout of Invocation.
std::string build_name();

}  // namespace grasppanda::app
