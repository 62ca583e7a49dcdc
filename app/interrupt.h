// Ctrl-C. `infer` and `test` finish the input or view at hand; a second Ctrl-C ends the program at
// once (130).
#pragma once

namespace grasppanda::app {

enum class OnInterrupt {
  end_at_once,  // exit status 130 without further ado
  finish_input  // the first only sets a flag, the second ends at once
};

/// For SIGINT and SIGTERM; entry.cpp calls it before a command runs.
void handle_interrupts(OnInterrupt what);

/// True after the first Ctrl-C: stop before the next input, then return ExitCode::interrupted. May
/// be asked from any thread.
bool interrupted();

}  // namespace grasppanda::app
