// `grasppanda infer`: a model over recorded inputs, a run directory as the result.
#include <ATen/core/grad_mode.h>

#include <ctime>
#include <iostream>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/compute_setup.h"
#include "app/commands/dry_run.h"
#include "app/commands/infer_plan.h"
#include "app/commands/resume.h"
#include "app/commands/run_model.h"
#include "app/commands/run_record.h"
#include "app/commands/stage_dump.h"
#include "app/log.h"

namespace grasppanda::app {

namespace {

run::RunStatus final_status(const RunOutcome& outcome, const run::InputCounts& counts) {
  if (outcome.interrupted) return run::RunStatus::interrupted;
  const bool all_failed = counts.failed > 0 && counts.done + counts.empty == 0;
  return all_failed ? run::RunStatus::failed : run::RunStatus::complete;
}

ExitCode exit_code(const RunOutcome& outcome, const run::InputCounts& counts) {
  if (outcome.interrupted) return ExitCode::interrupted;
  if (outcome.internal_failure) return ExitCode::internal;
  if (counts.failed == 0) return ExitCode::done;
  return counts.done + counts.empty == 0 ? ExitCode::unusable_input : ExitCode::some_inputs_failed;
}

void say_end(const run::RunDirectory& run, const RunOutcome& outcome,
             const run::InputCounts& counts) {
  say_repeated_warnings();
  if (counts.failed > 0 && counts.inputs > 1) {
    log_info(std::to_string(counts.failed) + " of " + std::to_string(counts.inputs) +
             " inputs failed; see " + (run.path() / "failures.jsonl").string());
  }
  if (outcome.interrupted) {
    log_info("interrupted with " + std::to_string(counts.pending()) +
             " inputs to do; go on with: grasppanda infer --resume " + run.path().string());
  }
}

RunStart run_start(const Invocation& invocation, const InferPlan& plan, const RunModel& model,
                   const std::string& device, int threads) {
  return {.model = model.name,
          .warnings = model.warnings,
          .facts = {.command_line = invocation.command_line,
                    .seed = plan.job.predict.seed,
                    .threads = threads,
                    .device = device,
                    .checkpoint = model.checkpoint,
                    .wall_seconds = std::nullopt,
                    .peak_memory = std::nullopt},
          .inputs = plan.list,
          .kept = plan.kept,
          .resumed = invocation.has("--resume")};
}

}  // namespace

ExitCode run_infer(const Invocation& invocation) {
  const at::NoGradGuard no_gradients;
  InferPlan plan = plan_infer(invocation);
  const std::string device = settle_device(*invocation.config);
  const int threads = set_threads(*invocation.config);
  set_backends(*invocation.config, device);
  if (invocation.has("--dry-run")) return dry_run(plan, invocation, device, threads);

  const RunModel model = load_run_model(*invocation.config, device, BuildNetwork::yes);
  if (plan.run) require_same_weights(plan.run->path(), model.checkpoint, !plan.kept.empty());
  if (!plan.job.predict.stages.empty()) require_stage_folder(plan.job.predict.stages);
  run::RunDirectory run =
      plan.run ? std::move(*plan.run)
               : run::RunDirectory::create(invocation.config->file("output.dir"),
                                           invocation.command, model.name, std::time(nullptr));
  RunRecord record(invocation, std::move(run), run_start(invocation, plan, model, device, threads));
  for (const std::string& warning : model.warnings) log_warning(warning);
  RunOutcome outcome;
  try {
    const double setup = run::process_age();
    outcome = run_inputs(plan.job, *model.model, record.run(), record.summary(), invocation);
    const run::InputCounts counts = record.summary().counts();
    say_end(record.run(), outcome, counts);
    close_log_files();
    record.finish(final_status(outcome, counts), outcome, setup);
  } catch (...) {
    record.abandon();
    throw;
  }
  std::cout << record.run().path().string() << std::endl;
  return exit_code(outcome, record.summary().counts());
}

}  // namespace grasppanda::app
