// Exit status of the program: the whole list, and the only place that maps an error to one.
#pragma once

#include <exception>

namespace grasppanda::app {

enum class ExitCode : int {
  done = 0,
  some_inputs_failed = 1,
  usage = 2,  // wrong command line or configuration; nothing was run
  unusable_input =
      3,              // checkpoint, data set, every frame bad; or libgrasppanda.so cannot be opened
  not_available = 4,  // a device or backend that was asked for by name
  internal = 70,      // a fault of ours
  interrupted = 130
};

}  // namespace grasppanda::app
