// `test --compare`: the metrics of several runs side by side.
#pragma once

#include "app/exit_code.h"
#include "app/invocation.h"

namespace grasppanda::app {

/// The runs are the value of --compare and the arguments; each holds a metrics.json. Prints a row
/// per number that they share, percent, and the difference of each later run from the first.
/// Throws UsageError for fewer than two, io::FormatError for a run without metrics or of another
/// task. What the runs do not share (rules, thresholds, scenes and the like) is warned of.
ExitCode compare_runs(const Invocation& invocation);

}  // namespace grasppanda::app
