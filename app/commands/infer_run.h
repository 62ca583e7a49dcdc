// A planned run from the weights to the closed run directory; `infer` is nothing else, `test`
// evaluates at its end.
#pragma once

#include <functional>

#include "app/commands/infer_plan.h"
#include "app/commands/run_record.h"
#include "app/exit_code.h"
#include "lib/run/summary.h"

namespace grasppanda::app {

/// Called when every input was tried and no one interrupted; an exception marks the run failed,
/// `stopped` interrupted.
using AfterInputs =
    std::function<WrittenFiles(const run::RunDirectory& run, const run::InputCounts&)>;

/// Loads the model, runs it over the inputs of `plan`, prints the run directory last. With
/// --dry-run: checks only.
ExitCode run_plan(const Invocation& invocation, InferPlan plan, const AfterInputs& after = {});

}  // namespace grasppanda::app
