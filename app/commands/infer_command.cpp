// `grasppanda infer`: a model over recorded inputs, a run directory as the result.
#include <ATen/core/grad_mode.h>

#include <ctime>
#include <iostream>
#include <string>

#include "app/commands/commands.h"
#include "app/commands/compute_setup.h"
#include "app/commands/dry_run.h"
#include "app/commands/infer_run.h"
#include "app/commands/predict_image.h"
#include "app/commands/prediction_files.h"
#include "app/commands/resume.h"
#include "app/commands/run_model.h"
#include "app/commands/run_record.h"
#include "app/commands/stage_dump.h"
#include "app/interrupt.h"
#include "app/log.h"

namespace grasppanda::app {

namespace {

void say_end(const std::string& command, const run::RunDirectory& run, const RunOutcome& outcome,
             const run::InputCounts& counts) {
  say_repeated_warnings();
  if (counts.failed > 0 && counts.inputs > 1) {
    log_info(std::to_string(counts.failed) + " of " + std::to_string(counts.inputs) +
             " inputs failed; see " + (run.path() / "failures.jsonl").string());
  }
  if (outcome.interrupted && command == "infer" && counts.pending() == 0) {
    log_info("interrupted, when every input was done");
  } else if (outcome.interrupted) {
    log_info("interrupted with " + std::to_string(counts.pending()) +
             " inputs to do; go on with: grasppanda " + command + " --resume " +
             run.path().string());
  }
}

RunStart run_start(const Invocation& invocation, const InferPlan& plan, const RunModel& model,
                   const std::string& device, int threads) {
  return {.model = model.name,
          .warnings = model.warnings,
          .classes = model.detector ? model.detector->info().classes : std::vector<std::string>{},
          .facts = {.command_line = invocation.command_line,
                    .seed = plan.job.predict.seed,
                    .threads = threads,
                    .device = device,
                    .checkpoint = model.checkpoint,
                    .model = model.detector ? model.detector->info().facts : run::ModelFacts{},
                    .wall_seconds = std::nullopt,
                    .peak_memory = std::nullopt},
          .inputs = plan.list,
          .kept = plan.kept,
          .resumed = invocation.has("--resume")};
}

RunOutcome run_images(const InferPlan& plan, models::Detector& detector, bool on_cpu,
                      RunRecord& record, const Invocation& invocation) {
  ImageRun how{.tiling = plan.job.tiling, .image = plan.job.image};
  // A processor is full with one tile; a GPU waits for more.
  constexpr std::size_t kTilesOnGpu = 8;
  if (!on_cpu) how.tiling.batch = kTilesOnGpu;
  if (how.tiling.by_model) how.tiling.filled = detector.info().fills_tiles;
  const PredictOne predict = [&](const datasets::InputRef& input, const OpenedInput& opened,
                                 const auto& say) {
    return predict_image(input, opened, detector, how, plan.job.predict, record.run(), say);
  };
  RunOutcome outcome = run_inputs(plan.job, predict, record.summary(), invocation);
  write_detection_sets(plan.job.predict.sets, record.run(), plan.list, detector.info().classes,
                       outcome.written);
  return outcome;
}

}  // namespace

ExitCode run_plan(const Invocation& invocation, InferPlan plan, const AfterInputs& after) {
  const at::NoGradGuard no_gradients;
  const std::string device = settle_device(*invocation.config);
  const int threads = set_threads(*invocation.config);
  set_backends(*invocation.config, device);
  if (invocation.has("--dry-run")) return dry_run(plan, invocation, device, threads);

  const RunModel model = load_run_model(*invocation.config, device);
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
    if (model.detector) {
      outcome = run_images(plan, *model.detector, device == "cpu", record, invocation);
    } else {
      outcome = run_inputs(plan.job, *model.model, record.run(), record.summary(), invocation);
    }
    const run::InputCounts counts = record.summary().counts();
    say_end(invocation.command, record.run(), outcome, counts);
    if (plan.job.predict.report) record.write_report(plan.job.predict.up, outcome);
    if (after && !outcome.interrupted) {
      note_written(after(record.run(), counts), record.run(), outcome);
      if (outcome.interrupted) say_end(invocation.command, record.run(), outcome, counts);
    }
    close_log_files();
    // Without an evaluation to come, a run with nothing left to do is whole.
    const bool cut_off = outcome.interrupted && (after || counts.pending() > 0);
    record.finish(final_status(cut_off, counts), outcome, setup);
  } catch (...) {
    record.abandon();
    throw;
  }
  std::cout << record.run().path().string() << std::endl;
  return exit_code(outcome, record.summary().counts());
}

ExitCode run_infer(const Invocation& invocation) {
  return run_plan(invocation, plan_infer(invocation));
}

}  // namespace grasppanda::app
