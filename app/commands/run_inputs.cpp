#include "app/commands/run_inputs.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "app/commands/input_failure.h"
#include "app/commands/stopwatch.h"
#include "app/interrupt.h"
#include "app/log.h"
#include "app/terminal.h"

namespace grasppanda::app {

namespace {

// Two inputs wait at most: enough to hide the reading, little enough to forget about memory.
constexpr std::size_t kAhead = 2;

// Warnings that differ only in their figures have one cause.
std::string cause_of(const std::string& warning) {
  std::string cause;
  for (const char c : warning) {
    const bool figure = (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (!figure) {
      cause += c;
    } else if (!cause.ends_with('#')) {
      cause += '#';
    }
  }
  return cause;
}

void say(const run::InputRecord& record) {
  if (record.status == run::InputStatus::failed) {
    log_error(record.error);  // with the warnings in it
    return;
  }
  for (const std::string& warning : record.warnings) {
    log_warning(record.name + ": " + warning, cause_of(warning));
  }
  std::string counts;
  for (const auto& [name, count] : record.counts) {
    counts += (counts.empty() ? "" : ", ") + name + " " + std::to_string(count);
  }
  log_debug(record.name + ": " + std::string(status_name(record.status)) + " (" + counts + ")");
}

}  // namespace

RunOutcome run_inputs(const RunInputs& job, models::GraspModel& model, const run::RunDirectory& run,
                      run::Summary& summary, const Invocation& invocation) {
  const PredictOne predict = [&](const datasets::InputRef& input, const OpenedInput& opened,
                                 const auto&) {
    return predict_input(input, opened, model, job.predict, run);
  };
  return run_inputs(job, predict, summary, invocation);
}

RunOutcome run_inputs(const RunInputs& job, const PredictOne& predict, run::Summary& summary,
                      const Invocation& invocation) {
  RunOutcome outcome;
  const std::size_t total = job.inputs.size();
  if (total == 0) return outcome;
  Progress progress(invocation, "inputs", static_cast<std::int64_t>(total));
  Stopwatch watch;
  ReadAhead ahead(job.inputs, {.open = job.open, .cloud = job.cloud, .image = job.image}, kAhead);
  for (std::size_t i = 0; i < total; ++i) {
    if (interrupted()) break;
    progress.update(static_cast<std::int64_t>(i), job.inputs[i].name);
    const std::optional<OpenedInput> opened = ahead.next(interrupted);
    if (!opened) break;
    const double waited = watch.lap();
    run::InputRecord record = predict(job.inputs[i], *opened, [&](const std::string& where) {
      progress.update(static_cast<std::int64_t>(i), job.inputs[i].name + ", " + where);
    });
    record.seconds.overlapped =
        std::max(0.0, opened->read_seconds + opened->cloud_seconds - waited);
    say(record);
    outcome.internal_failure |= record.kind == kInternalFailure;
    std::ranges::copy(record.read, std::back_inserter(outcome.read));
    std::ranges::copy(record.written, std::back_inserter(outcome.written));
    summary.add(job.places[i], record);
    progress.update(static_cast<std::int64_t>(i + 1), job.inputs[i].name);
    watch.lap();
  }
  outcome.interrupted = interrupted();
  return outcome;
}

}  // namespace grasppanda::app
