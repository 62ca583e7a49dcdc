// `grasppanda test`: predictions against the truth of a data set.
#include <ctime>
#include <filesystem>
#include <iostream>
#include <stdexcept>

#include "app/commands/commands.h"
#include "app/commands/compare_runs.h"
#include "app/commands/compute_setup.h"
#include "app/commands/data_set_evaluation.h"
#include "app/commands/infer_run.h"
#include "app/commands/run_record.h"
#include "app/commands/shard.h"
#include "app/commands/test_selection.h"
#include "app/interrupt.h"
#include "app/log.h"
#include "app/report_error.h"
#include "lib/eval/metric_list.h"
#include "lib/eval/stop.h"
#include "lib/io/format_error.h"
#include "models/model.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

struct Evaluation {
  std::string_view metric;
  std::unique_ptr<DataSetEvaluation> (*open)(const Invocation&);
};
constexpr Evaluation kEvaluations[] = {{"grasp_ap", open_grasp_evaluation},
                                       {"detection_map", open_detection_evaluation}};

// A model that is run must find what the truth holds.
void require_fitting_model(const Invocation& invocation, const eval::MetricEntry& metric) {
  if (invocation.has("--predictions") || !invocation.config) return;
  const std::string name = invocation.config->text("model.name");
  const models::ModelEntry* model = models::find_model(name);
  if (model == nullptr || model->is_detector() == (metric.task == "detection")) return;
  throw UsageError(
      "model.name: " + name + " finds " + (model->is_detector() ? "boxes in pictures" : "grasps") +
      "; " + invocation.value("--data") + " is " + std::string(metric.data_set) +
      ", which holds the truth of " + (model->is_detector() ? "grasps" : "boxes in pictures"));
}

// A run directory stands for the predictions in it.
fs::path predictions_folder(const fs::path& given) {
  std::error_code ignored;
  if (!fs::is_directory(given, ignored)) {
    throw io::FormatError(given.string() + ": no such folder (--predictions)");
  }
  const bool is_run = fs::is_directory(given / "predictions", ignored) &&
                      fs::exists(given / "summary.json", ignored);
  return is_run ? given / "predictions" : given;
}

// No model: what remains of a run directory is the evaluation.
ExitCode evaluate_stored(const Invocation& invocation, DataSetEvaluation& evaluation) {
  const fs::path predictions = predictions_folder(invocation.value("--predictions"));
  const config::Config& config = *invocation.config;
  evaluation.check(predictions);
  if (invocation.has("--dry-run")) {
    std::cout << "data set     " << evaluation.description() << "\n"
              << "predictions  " << predictions.string() << ", all that is wanted is there\n"
              << "dry run: nothing was evaluated, nothing was written\n";
    return ExitCode::done;
  }
  set_backends(config, "cpu");
  RunStart start;
  start.model = "none";
  start.facts.command_line = invocation.command_line;
  start.facts.threads = set_threads(config);
  start.facts.device = "cpu";
  RunRecord record(invocation,
                   run::RunDirectory::create(config.file("output.dir"), invocation.command,
                                             "evaluation", std::time(nullptr)),
                   std::move(start));
  RunOutcome outcome;
  try {
    const double setup = run::process_age();
    note_written(evaluation.evaluate(predictions, record.run(), invocation), record.run(), outcome);
    for (const fs::path& file : evaluation.files_read(predictions)) {
      outcome.read.push_back(run::stamp_file(file, fs::absolute(file).lexically_normal().string()));
    }
    say_repeated_warnings();
    if (outcome.interrupted) {
      log_info("interrupted, so there is no metrics.json; stored predictions are evaluated anew");
    }
    close_log_files();
    record.finish(outcome.interrupted ? run::RunStatus::interrupted : run::RunStatus::complete,
                  outcome, setup);
  } catch (...) {
    record.abandon();
    throw;
  }
  std::cout << record.run().path().string() << std::endl;
  return outcome.interrupted ? ExitCode::interrupted : ExitCode::done;
}

// A shard has no average of its own: what is evaluated is the whole, once it is merged.
ExitCode run_shard(Invocation infer, const DataSetEvaluation& evaluation) {
  if (!infer.has("--resume")) infer.arguments = evaluation.inputs();
  const ExitCode status = run_plan(infer, plan_infer(infer));
  if (status == ExitCode::done && !infer.has("--dry-run")) {
    log_info("part " + shard_of(infer).text() +
             " of the predictions; evaluate all parts with: grasppanda merge RUN_DIR... --out DIR");
  }
  return status;
}

ExitCode run_and_evaluate(const Invocation& invocation, DataSetEvaluation& evaluation) {
  Invocation infer = invocation;
  infer.arguments = evaluation.inputs();
  return run_plan(infer, plan_infer(infer),
                  [&](const run::RunDirectory& run, const run::InputCounts& counts) {
                    return evaluate_run(evaluation, run, counts, infer);
                  });
}

}  // namespace

std::unique_ptr<DataSetEvaluation> open_evaluation(const Invocation& invocation) {
  const fs::path root = invocation.value("--data");
  std::error_code ignored;
  if (!fs::is_directory(root, ignored)) {
    throw io::FormatError(root.string() + ": no such folder (--data)");
  }
  const eval::MetricEntry* metric = eval::find_metric(root);
  if (metric == nullptr) {
    std::string known;
    for (const eval::MetricEntry& entry : eval::metric_list()) {
      known += known.empty() ? ": " : ", ";
      known.append(entry.data_set).append(" has ").append(entry.truth);
    }
    throw io::FormatError(root.string() + ": no data set that is known" + known);
  }
  if (invocation.has("--iou") && metric->task != "detection") {
    throw UsageError("--iou is for detections; " + root.string() + " is " +
                     std::string(metric->data_set));
  }
  require_fitting_model(invocation, *metric);
  for (const Evaluation& evaluation : kEvaluations) {
    if (evaluation.metric == metric->name) return evaluation.open(invocation);
  }
  throw std::logic_error("no evaluation for the metric " + std::string(metric->name));
}

WrittenFiles evaluate_run(DataSetEvaluation& evaluation, const run::RunDirectory& run,
                          const run::InputCounts& counts, const Invocation& invocation) {
  if (counts.failed > 0) {
    throw io::FormatError((run.path() / "failures.jsonl").string() + ": " +
                          std::to_string(counts.failed) + " of " + std::to_string(counts.inputs) +
                          " inputs failed, so there is no average precision");
  }
  return evaluation.evaluate(run.path() / "predictions", run, invocation);
}

ExitCode run_test(const Invocation& typed) {
  if (typed.has("--compare")) return compare_runs(typed);
  const Invocation invocation = typed.has("--resume") ? resumed_test(typed) : typed;
  std::unique_ptr<DataSetEvaluation> evaluation;
  try {
    evaluation = open_evaluation(invocation);
    eval::stop_if(interrupted);
  } catch (const eval::Stopped&) {
    return ExitCode::interrupted;  // nothing was begun
  }
  if (invocation.has("--predictions")) return evaluate_stored(invocation, *evaluation);
  if (invocation.has("--shard")) return run_shard(invocation, *evaluation);
  return run_and_evaluate(invocation, *evaluation);
}

}  // namespace grasppanda::app
