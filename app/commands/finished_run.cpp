#include "app/commands/finished_run.h"

#include <utility>

#include "lib/io/format_error.h"

namespace grasppanda::app {

FinishedRun open_finished_run(const std::filesystem::path& path) {
  run::RunDirectory directory = run::RunDirectory::open(path);
  FinishedRun run{.directory = std::move(directory),
                  .summary = run::read_summary(path),
                  .list = run::read_input_list(path),
                  .facts = run::read_run_facts(path)};
  const run::StoredSummary& summary = run.summary;
  if (!run.facts.checkpoint) {
    throw io::FormatError(
        path.string() +
        ": this run evaluated stored predictions, it has no inputs and results of "
        "its own");
  }
  // A run in which every input failed is over, too.
  const bool over = summary.status == run::status_name(run::RunStatus::complete) ||
                    (summary.status == run::status_name(run::RunStatus::failed) &&
                     summary.inputs.size() == run.list.inputs.size());
  if (!over) {
    throw io::FormatError(path.string() + ": this run is not at its end (it is " + summary.status +
                          "); go on with: grasppanda " + summary.head.command + " --resume " +
                          path.string());
  }
  return run;
}

}  // namespace grasppanda::app
