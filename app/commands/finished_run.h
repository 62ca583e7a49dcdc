// A run that came to its end, opened to be used further.
#pragma once

#include <filesystem>

#include "lib/run/environment.h"
#include "lib/run/input_list.h"
#include "lib/run/run_directory.h"
#include "lib/run/summary.h"

namespace grasppanda::app {

struct FinishedRun {
  run::RunDirectory directory;  // held: nobody goes on with it meanwhile
  run::StoredSummary summary;
  run::InputList list;
  run::RunFacts facts;
};

/// Throws io::FormatError: no run of infer or test, one that ran no model, damaged, or not at its
/// end, with what to do.
FinishedRun open_finished_run(const std::filesystem::path& path);

}  // namespace grasppanda::app
