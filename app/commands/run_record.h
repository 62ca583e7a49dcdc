// The run directory around the loop of a command: what stands in it before the first input, and
// what is closed after the last.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/commands/run_inputs.h"
#include "app/exit_code.h"
#include "app/invocation.h"
#include "lib/run/environment.h"
#include "lib/run/input_list.h"
#include "lib/run/run_directory.h"
#include "lib/run/summary.h"

namespace grasppanda::app {

/// What a run knows before its first input.
struct RunStart {
  std::string model;
  std::vector<std::string> warnings;
  std::vector<std::string> classes{};  // of a detector
  run::RunFacts facts;
  run::InputList inputs;
  /// Records of an earlier process that hold: place in the summary -> record.
  std::vector<std::pair<std::size_t, run::InputRecord>> kept;
  bool resumed = false;  // config.yaml stays as the first process wrote it
};

/// What came of work that writes files of a run.
struct WrittenFiles {
  std::vector<std::string> names;  // relative to the run
  bool stopped = false;            // by an interrupt, before all of it was done
};

/// Puts both into the outcome, the files for the manifest.
void note_written(const WrittenFiles& files, const run::RunDirectory& run, RunOutcome& outcome);

/// How a run ended: all inputs failed is failed, some is not.
run::RunStatus final_status(bool interrupted, const run::InputCounts& counts);
ExitCode exit_code(const RunOutcome& outcome, const run::InputCounts& counts);

class RunRecord {
 public:
  /// Fills `run`: config.yaml, inputs.json, summary.json, env.json; log.txt from here on.
  RunRecord(const Invocation& invocation, run::RunDirectory run, RunStart start);

  const run::RunDirectory& run() const { return run_; }
  run::Summary& summary() { return summary_; }

  /// report.html of what is done so far, and its stamp into the outcome. `up`: as GraspResult has
  /// it. Throws io::FormatError.
  void write_report(const geometry::Vec3& up, RunOutcome& outcome);
  /// env.json with time and memory, manifest.json, and last the status in summary.json.
  void finish(run::RunStatus status, const RunOutcome& outcome, double setup_seconds);
  /// After an error that ends the run: puts the status right if that is still possible.
  void abandon() noexcept;

 private:
  void say_backends() const;
  void write_environment();
  void write_manifest_of(const RunOutcome& outcome) const;

  const Invocation& invocation_;
  const run::RunDirectory run_;
  RunStart start_;
  run::Summary summary_;
  const run::Environment environment_;
};

}  // namespace grasppanda::app
