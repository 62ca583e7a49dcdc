// `grasppanda merge`: the runs of several shards become one run directory.
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/commands/commands.h"
#include "app/commands/compute_setup.h"
#include "app/commands/data_set_evaluation.h"
#include "app/commands/input_settings.h"
#include "app/commands/merge_plan.h"
#include "app/commands/new_folder.h"
#include "app/commands/prediction_files.h"
#include "app/commands/run_record.h"
#include "app/interrupt.h"
#include "app/log.h"
#include "app/report_error.h"
#include "app/terminal.h"
#include "lib/eval/stop.h"
#include "lib/io/atomic_file.h"
#include "lib/io/format_error.h"
#include "lib/io/mapped_file.h"
#include "lib/io/sha256.h"
#include "lib/run/report.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

// As `test` was called for every shard.
Invocation evaluated(const Invocation& merge, const MergePlan& plan) {
  Invocation invocation = merge;
  invocation.command = "test";
  for (const auto& [option, values] : plan.list.options) {
    invocation.options.insert_or_assign(option, values);
  }
  return invocation;
}

// The files of one input, checked against what its run noted when it wrote them.
void copy_results(const run::InputRecord& record, const fs::path& from,
                  const run::RunDirectory& to) {
  for (const run::FileStamp& stamp : record.written) {
    const fs::path source = from / stamp.path, target = to.place(stamp.path);
    const io::SharedBytes bytes = io::map_file(source);
    if (bytes.size != stamp.size || io::sha256_hex(bytes.span()) != stamp.sha256) {
      throw io::FormatError(source.string() + ": is not the file that the run wrote (" +
                            std::to_string(stamp.size) + " bytes with SHA-256 " + stamp.sha256 +
                            "); put it back, or do that run again");
    }
    io::write_file_atomically(target, bytes.text());
  }
}

void copy_all(const MergePlan& plan, const run::RunDirectory& to, const Invocation& invocation,
              RunOutcome& outcome) {
  Progress progress(invocation, "inputs", static_cast<std::int64_t>(plan.parts.size()));
  std::int64_t done = 0;
  for (const MergePlan::Part& part : plan.parts) {
    if (interrupted()) {
      outcome.interrupted = true;
      return;
    }
    const FinishedRun& run = plan.runs[part.run];
    const run::InputRecord& record = run.summary.inputs[part.record];
    copy_results(record, run.directory.path(), to);
    progress.update(++done, record.name);
  }
}

RunStart run_start(const Invocation& invocation, const MergePlan& plan) {
  const FinishedRun& first = plan.runs.front();
  RunStart start{.model = first.summary.head.model,
                 .warnings = plan.warnings,
                 .classes = first.summary.head.classes,
                 .facts = first.facts,
                 .inputs = plan.list,
                 .kept = {},
                 .resumed = false};
  start.facts.command_line = invocation.command_line;
  for (const MergePlan::Part& part : plan.parts) {
    start.kept.emplace_back(part.place, plan.runs[part.run].summary.inputs[part.record]);
  }
  return start;
}

std::vector<const run::DetectionSetEntry*> wanted_sets(const config::Config& config) {
  std::vector<const run::DetectionSetEntry*> sets;
  for (const std::string& format : config.texts("output.formats")) {
    if (const run::DetectionSetEntry* set = run::find_detection_set(format)) sets.push_back(set);
  }
  return sets;
}

// The runs that are joined stay as they are.
void require_outside(const fs::path& out, const MergePlan& plan) {
  const fs::path whole = fs::weakly_canonical(out);
  for (const FinishedRun& run : plan.runs) {
    const fs::path inside = whole.lexically_relative(fs::weakly_canonical(run.directory.path()));
    if (!inside.empty() && *inside.begin() != "..") {
      throw UsageError("--out " + out.string() + " lies in " + run.directory.path().string() +
                       ", which is one of the runs; name a folder outside");
    }
  }
}

}  // namespace

ExitCode run_merge(const Invocation& merge) {
  if (!merge.config) {  // there is no config.yaml; this says why
    open_finished_run(merge.arguments.front());
    throw io::FormatError((fs::path(merge.arguments.front()) / "config.yaml").string() +
                          ": is missing; that run cannot be merged");
  }
  const MergePlan plan = plan_merge(merge.arguments, *merge.config);
  require_outside(merge.value("--out"), plan);
  Invocation invocation = merge;
  invocation.command = plan.runs.front().summary.head.command;
  std::unique_ptr<DataSetEvaluation> evaluation;
  try {
    if (invocation.command == "test") {
      invocation = evaluated(merge, plan);
      evaluation = open_evaluation(invocation);
    }
    eval::stop_if(interrupted);
  } catch (const eval::Stopped&) {
    return ExitCode::interrupted;  // nothing was begun
  }
  make_new_folder(merge.value("--out"));
  set_backends(*invocation.config, "cpu");
  // The record stands in the new run before the files do: without them it is a run that goes on.
  RunRecord record(invocation, run::RunDirectory::make(merge.value("--out")),
                   run_start(merge, plan));
  RunOutcome outcome;
  try {
    const double setup = run::process_age();
    for (const FinishedRun& run : plan.runs) {
      log_info("merging " + run.directory.path().string());
    }
    copy_all(plan, record.run(), merge, outcome);
    const run::InputCounts counts = record.summary().counts();
    if (!outcome.interrupted) {
      write_detection_sets(wanted_sets(*invocation.config), record.run(), plan.list,
                           plan.runs.front().summary.head.classes, outcome.written);
      if (names_format(*invocation.config, run::kReportFormat))
        record.write_report(picture_up(invocation), outcome);
      if (evaluation) {
        note_written(evaluate_run(*evaluation, record.run(), counts, invocation), record.run(),
                     outcome);
      }
    }
    if (outcome.interrupted) log_info("interrupted; merge the runs anew into another folder");
    say_repeated_warnings();
    close_log_files();
    record.finish(final_status(outcome.interrupted, counts), outcome, setup);
  } catch (...) {
    record.abandon();
    throw;
  }
  std::cout << record.run().path().string() << std::endl;
  return exit_code(outcome, record.summary().counts());
}

}  // namespace grasppanda::app
