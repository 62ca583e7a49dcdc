// `grasppanda render`: the pictures of a finished run once more, with other settings.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <iostream>
#include <limits>
#include <map>

#include "app/commands/commands.h"
#include "app/commands/draw_results.h"
#include "app/commands/finished_run.h"
#include "app/commands/input_failure.h"
#include "app/commands/input_selection.h"
#include "app/commands/input_settings.h"
#include "app/commands/new_folder.h"
#include "app/commands/prediction_files.h"
#include "app/commands/read_ahead.h"
#include "app/interrupt.h"
#include "app/log.h"
#include "app/report_error.h"
#include "app/terminal.h"
#include "lib/io/format_error.h"
#include "lib/run/report.h"
#include "models/model.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

double least_score(const Invocation& invocation) {
  if (!invocation.has("--score")) return -std::numeric_limits<double>::infinity();
  const std::string text = invocation.value("--score");
  double score = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), score);
  if (error != std::errc() || stop != text.data() + text.size() || !std::isfinite(score)) {
    throw UsageError("--score: '" + text + "' is no number");
  }
  return score;
}

// What is drawn of the formats in the configuration; by default all that can be.
std::vector<const run::WriterEntry*> drawing_writers(const config::Config& config,
                                                     bool detections) {
  std::vector<const run::WriterEntry*> writers;
  for (const run::WriterEntry& writer : run::writer_list()) {
    const bool draws = writer.format == "png" || (writer.format == "ply" && !detections);
    const bool needed =
        names_format(config, run::kReportFormat) && run::report_needs(writer, detections);
    if (draws && (needed || names_format(config, writer.format))) writers.push_back(&writer);
  }
  if (writers.empty()) {
    throw UsageError(
        "render: output.formats of the run names nothing that is drawn; say what, for example "
        "--set output.formats=[png,html]");
  }
  return writers;
}

// How the inputs were opened when the run was made.
Invocation as_begun(const Invocation& invocation, const FinishedRun& run) {
  Invocation begun = invocation;
  for (const auto& [option, values] : run.list.options) begun.options[option] = values;
  return begun;
}

struct Drawn {
  std::size_t done = 0;
  std::map<std::string, std::string> failed;  // input -> why
};

// Results belong to the files that the run read.
void require_same_files(const std::vector<run::FileStamp>& files, const run::InputRecord& record) {
  for (const run::FileStamp& file : files) {
    const auto before = std::ranges::find(record.read, file.path, &run::FileStamp::path);
    if (before == record.read.end() || before->sha256 == file.sha256) continue;
    throw io::FormatError(file.path + ": is not the file any more that the run read; its results " +
                          "cannot be drawn over another");
  }
}

void require_drawing_settings(const Invocation& invocation) {
  for (const std::string& setting : invocation.all("--set")) {
    if (setting.starts_with("output.formats=")) continue;
    throw UsageError("render: --set " + setting +
                     " changes nothing that is stored; it takes output.formats, and --score and "
                     "--best choose results");
  }
}

Drawn draw_all(const FinishedRun& run, const DrawSettings& settings, const InputSettings& open,
               const Invocation& invocation) {
  std::map<std::string, const run::InputRecord*> records;
  for (const run::InputRecord& record : run.summary.inputs) {
    if (record.status != run::InputStatus::failed) records[record.name] = &record;
  }
  Drawn drawn;
  std::map<std::string, run::FileStamp> stamps;
  Progress progress(invocation, "inputs", static_cast<std::int64_t>(records.size()));
  for (const datasets::InputRef& input : from_listed(run.list)) {
    if (interrupted()) break;
    if (!records.contains(input.name)) continue;  // has no results
    progress.update(static_cast<std::int64_t>(drawn.done + drawn.failed.size()), input.name);
    run::InputRecord record{.name = input.name, .source = datasets::input_path(input).string()};
    try {
      const OpenedInput opened = open_and_mask(input, open, stamps);
      if (opened.failed) std::rethrow_exception(opened.failed);
      require_same_files(opened.files, *records.at(input.name));
      draw_results(input, opened, run.directory.path(), settings);
      ++drawn.done;
    } catch (...) {
      note_failure(std::current_exception(), record);
      log_error(record.error);
      drawn.failed[input.name] = record.error;
    }
  }
  return drawn;
}

}  // namespace

ExitCode run_render(const Invocation& invocation) {
  require_drawing_settings(invocation);
  const FinishedRun run = open_finished_run(invocation.arguments.front());
  const fs::path& path = run.directory.path();
  if (!invocation.config) {
    throw io::FormatError((path / "config.yaml").string() +
                          ": is missing; pictures cannot be drawn without it");
  }
  const config::Config& config = *invocation.config;
  const models::ModelEntry* model = models::find_model(config.text("model.name"));
  const bool detections = model != nullptr && model->is_detector();
  const Invocation begun = as_begun(invocation, run);
  InputSettings open{.open = open_settings(config, begun), .cloud = cloud_settings(config)};
  if (detections) open.image = image_settings(config);
  const fs::path out = invocation.value("--out", (path / "rendered").string());
  DrawSettings settings = draw_settings(begun, detections);
  settings.writers = drawing_writers(config, detections);
  settings.out = out;
  settings.best = std::stoll(invocation.value("--best", "50"));
  settings.least_score = least_score(invocation);
  make_new_folder(out);
  const Drawn drawn = draw_all(run, settings, open, invocation);
  if (names_format(config, run::kReportFormat)) {
    run::write_report(path, out,
                      {.drawn = settings.best,
                       .least_score = settings.least_score,
                       .up = settings.up,
                       .failures = drawn.failed});
  }
  std::cout << out.string() << std::endl;
  if (interrupted()) return ExitCode::interrupted;
  if (drawn.failed.empty()) return ExitCode::done;
  return drawn.done == 0 ? ExitCode::unusable_input : ExitCode::some_inputs_failed;
}

}  // namespace grasppanda::app
