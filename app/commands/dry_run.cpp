#include "app/commands/dry_run.h"

#include <iostream>
#include <map>

#include "app/commands/input_failure.h"
#include "app/commands/resume.h"
#include "app/commands/run_model.h"
#include "app/interrupt.h"
#include "app/log.h"
#include "app/terminal.h"
#include "lib/datasets/inputs.h"
#include "lib/run/report.h"

namespace grasppanda::app {

namespace {

std::string format_names(const InferPlan& plan) {
  std::string names;
  for (const run::WriterEntry* writer : plan.job.predict.writers) {
    names += (names.empty() ? "" : ", ") + std::string(writer->format);
  }
  for (const run::DetectionSetEntry* set : plan.job.predict.sets) {
    names += (names.empty() ? "" : ", ") + std::string(set->format);
  }
  if (plan.job.predict.report)
    names += (names.empty() ? "" : ", ") + std::string(run::kReportFormat);
  return names.empty() ? "no files" : names;
}

// How many cannot be used.
std::size_t check_inputs(const InferPlan& plan, const Invocation& invocation) {
  Progress progress(invocation, "inputs", static_cast<std::int64_t>(plan.job.inputs.size()));
  std::map<std::string, run::FileStamp> stamps;
  std::size_t failed = 0;
  std::int64_t checked = 0;
  for (const datasets::InputRef& input : plan.job.inputs) {
    if (interrupted()) break;
    progress.update(checked++, input.name);
    const OpenedInput opened = open_and_mask(
        input, {.open = plan.job.open, .cloud = plan.job.cloud, .image = plan.job.image}, stamps);
    if (!opened.failed) continue;
    run::InputRecord record{.name = input.name, .source = datasets::input_path(input).string()};
    note_failure(opened.failed, record);
    log_error(record.error);
    ++failed;
  }
  return failed;
}

}  // namespace

ExitCode dry_run(const InferPlan& plan, const Invocation& invocation, const std::string& device,
                 int threads) {
  const config::Config& config = *invocation.config;
  const RunModel model = load_run_model(config, device);
  if (plan.run) require_same_weights(plan.run->path(), model.checkpoint, !plan.kept.empty());
  for (const std::string& warning : model.warnings) log_warning(warning);
  const std::size_t failed = check_inputs(plan, invocation);
  if (interrupted()) return ExitCode::interrupted;
  const std::size_t inputs = plan.job.inputs.size();
  std::cout << "model       " << model.name << "\n"
            << "checkpoint  " << model.checkpoint.path << " (" << model.tensors
            << " tensors, names and shapes fit)\n"
            << "device      " << device << ", " << threads
            << (threads == 1 ? " thread" : " threads") << ", seed "
            << config.integer("runtime.seed") << "\n"
            << "inputs      " << inputs << " to do, "
            << (failed == 0 ? std::string("all usable") : std::to_string(failed) + " not usable")
            << "\n"
            << "writes      " << format_names(plan) << " to "
            << (plan.run ? plan.run->path().string()
                         : (config.file("output.dir") / invocation.command).string())
            << "\n"
            << "dry run: nothing was run, nothing was written\n";
  if (failed == 0) return ExitCode::done;
  return failed == inputs ? ExitCode::unusable_input : ExitCode::some_inputs_failed;
}

}  // namespace grasppanda::app
