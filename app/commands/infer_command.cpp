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
#include "app/commands/resume.h"
#include "app/commands/run_model.h"
#include "app/commands/run_record.h"
#include "app/commands/stage_dump.h"
#include "app/interrupt.h"
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

void say_end(const std::string& command, const run::RunDirectory& run, const RunOutcome& outcome,
             const run::InputCounts& counts) {
  say_repeated_warnings();
  if (counts.failed > 0 && counts.inputs > 1) {
    log_info(std::to_string(counts.failed) + " of " + std::to_string(counts.inputs) +
             " inputs failed; see " + (run.path() / "failures.jsonl").string());
  }
  if (outcome.interrupted) {
    log_info("interrupted with " + std::to_string(counts.pending()) +
             " inputs to do; go on with: grasppanda " + command + " --resume " +
             run.path().string());
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
  // Also of images that an earlier process did; an image that failed has no file.
  std::vector<std::filesystem::path> predictions;
  for (const run::ListedInput& input : plan.list.inputs) {
    std::filesystem::path file = run::find_writer("json")->file(input.name);
    if (std::filesystem::exists(record.run().path() / file)) predictions.push_back(std::move(file));
  }
  for (const run::DetectionSetEntry* set : plan.job.predict.sets) {
    for (const std::filesystem::path& file :
         set->write(record.run().path(), predictions, detector.info().classes)) {
      outcome.written.push_back(run::stamp_file(record.run().path() / file, file.generic_string()));
    }
  }
  return outcome;
}

}  // namespace

ExitCode run_plan(const Invocation& invocation, InferPlan plan, const AfterInputs& after) {
  const at::NoGradGuard no_gradients;
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
    if (model.detector) {
      outcome = run_images(plan, *model.detector, device == "cpu", record, invocation);
    } else {
      outcome = run_inputs(plan.job, *model.model, record.run(), record.summary(), invocation);
    }
    const run::InputCounts counts = record.summary().counts();
    say_end(invocation.command, record.run(), outcome, counts);
    if (after && !outcome.interrupted) {
      note_written(after(record.run(), counts), record.run(), outcome);
      if (outcome.interrupted) say_end(invocation.command, record.run(), outcome, counts);
    }
    close_log_files();
    record.finish(final_status(outcome, counts), outcome, setup);
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
