#include "app/commands/run_record.h"

#include <algorithm>
#include <ctime>
#include <exception>
#include <iterator>
#include <nlohmann/json.hpp>

#include "app/commands/gather_environment.h"
#include "app/log.h"
#include "lib/run/config_file.h"
#include "lib/run/leftovers.h"
#include "lib/run/manifest.h"
#include "lib/run/report.h"

namespace grasppanda::app {

void note_written(const WrittenFiles& files, const run::RunDirectory& run, RunOutcome& outcome) {
  for (const std::string& file : files.names) {
    outcome.written.push_back(run::stamp_file(run.path() / file, file));
  }
  outcome.interrupted |= files.stopped;
}

run::RunStatus final_status(bool interrupted, const run::InputCounts& counts) {
  if (interrupted) return run::RunStatus::interrupted;
  const bool all_failed = counts.failed > 0 && counts.done + counts.empty == 0;
  return all_failed ? run::RunStatus::failed : run::RunStatus::complete;
}

ExitCode exit_code(const RunOutcome& outcome, const run::InputCounts& counts) {
  if (outcome.interrupted) return ExitCode::interrupted;
  if (outcome.internal_failure) return ExitCode::internal;
  if (counts.failed == 0) return ExitCode::done;
  return counts.done + counts.empty == 0 ? ExitCode::unusable_input : ExitCode::some_inputs_failed;
}

RunRecord::RunRecord(const Invocation& invocation, run::RunDirectory run, RunStart start)
    : invocation_(invocation),
      run_(std::move(run)),
      start_(std::move(start)),
      summary_(run_,
               {.command = invocation.command,
                .model = start_.model,
                .started = run::iso_time(std::time(nullptr)),
                .warnings = start_.warnings,
                .classes = start_.classes},
               start_.inputs.inputs.size()),
      environment_(gather_environment()) {
  if (start_.resumed) {
    run::remove_leftovers(run_);
  } else {
    run_.write("config.yaml",
               run::config_file_text(invocation.config->to_yaml(false), invocation.command_line));
  }
  run::write_input_list(run_, start_.inputs);
  for (const auto& [place, record] : start_.kept) summary_.keep(place, record);
  summary_.write(run::RunStatus::running);
  add_log_file(run_.path() / "log.txt");
  write_environment();
  say_backends();
}

// What -v is for: which kernel runs, and why not the better one.
void RunRecord::say_backends() const {
  const std::string& device = start_.facts.device;
  const std::string kind = device.substr(0, device.find(':'));
  for (const ops::OperatorReport& entry : environment_.ops.operators) {
    const auto settled = entry.settled.find(kind);
    if (settled == entry.settled.end()) continue;
    const auto note = entry.note.find(kind);
    log_debug("operator " + entry.key + " on " + kind + ": " + settled->second +
              (note == entry.note.end() ? "" : " (" + note->second + ")"));
  }
}

void RunRecord::write_report(const geometry::Vec3& up, RunOutcome& outcome) {
  summary_.write(run::RunStatus::running);  // the page is made of it
  run::write_report(run_.path(), run_.path(), {.up = up});
  note_written({.names = {"report.html"}}, run_, outcome);
}

void RunRecord::finish(run::RunStatus status, const RunOutcome& outcome, double setup_seconds) {
  run::RunSeconds seconds{.setup = setup_seconds};
  const double loop_end = run::process_age();
  start_.facts.wall_seconds = loop_end;
  start_.facts.peak_memory = run::peak_memory();
  write_environment();
  write_manifest_of(outcome);
  seconds.total = run::process_age();
  seconds.finish = seconds.total - loop_end;
  summary_.write(status, seconds);
}

void RunRecord::abandon() noexcept {
  try {
    summary_.write(run::RunStatus::failed, {.total = run::process_age()});
  } catch (const std::exception&) {
    // The error that ended the run is the one to tell.
  }
}

void RunRecord::write_environment() {
  run_.write("env.json",
             environment_json(environment_, start_.facts)
                     .dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) +
                 "\n");
}

void RunRecord::write_manifest_of(const RunOutcome& outcome) const {
  const auto stamp_of = [this](const char* file) {
    return run::stamp_file(run_.path() / file, file);
  };
  run::Manifest manifest{.config = stamp_of("config.yaml"),
                         .config_source = std::nullopt,
                         .checkpoint = start_.facts.checkpoint,
                         .inputs = outcome.read,
                         .outputs = outcome.written};
  const std::filesystem::path source = invocation_.config->source;
  std::error_code missing;
  if (std::filesystem::is_regular_file(source, missing)) {
    manifest.config_source = run::stamp_file(source, std::filesystem::absolute(source).string());
  }
  for (const auto& [place, record] : start_.kept) {
    std::ranges::copy(record.read, std::back_inserter(manifest.inputs));
    std::ranges::copy(record.written, std::back_inserter(manifest.outputs));
  }
  // summary.json is written after this, with the status of the run; log.txt is closed.
  for (const char* file : {"config.yaml", "inputs.json", "env.json", "failures.jsonl", "log.txt"}) {
    manifest.outputs.push_back(stamp_of(file));
  }
  run::write_manifest(run_, std::move(manifest));
}

}  // namespace grasppanda::app
