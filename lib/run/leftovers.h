// What a process that was killed while it wrote left in its run directory.
#pragma once

#include "lib/run/run_directory.h"

namespace grasppanda::run {

/// Removes files that were being written aside (io::AtomicFile). The run is held, so nobody else is
/// writing them.
void remove_leftovers(const RunDirectory& run);

}  // namespace grasppanda::run
