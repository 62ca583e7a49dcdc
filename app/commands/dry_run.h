// `infer --dry-run`: everything that can be checked without running the network or writing.
#pragma once

#include "app/commands/infer_plan.h"
#include "app/exit_code.h"

namespace grasppanda::app {

/// Opens every input, compares the checkpoint with the model, says what would run. The status is
/// that of a run in which the network itself fails nowhere.
ExitCode dry_run(const InferPlan& plan, const Invocation& invocation, const std::string& device,
                 int threads);

}  // namespace grasppanda::app
