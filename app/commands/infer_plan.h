// What an `infer` call comes down to, before anything is computed or written.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "app/commands/run_inputs.h"
#include "app/invocation.h"
#include "lib/run/input_list.h"
#include "lib/run/input_record.h"
#include "lib/run/run_directory.h"

namespace grasppanda::app {

struct InferPlan {
  RunInputs job;                         // inputs that are still to do
  std::size_t inputs = 0;                // of this call, done ones included
  std::optional<run::RunDirectory> run;  // the one that is resumed
  /// Records of the earlier process that hold: place in the summary -> record.
  std::vector<std::pair<std::size_t, run::InputRecord>> kept;
  run::InputList list;  // for inputs.json
};

/// Lists the inputs and reads the small files that settings name. With --resume: takes what the run
/// directory says, and which inputs need not be done again. Throws UsageError, io::FormatError.
InferPlan plan_infer(const Invocation& invocation);

}  // namespace grasppanda::app
