#include "app/commands/infer_plan.h"

#include <algorithm>
#include <cmath>
#include <sstream>
#include <stdexcept>
#include <utility>

#include "app/commands/input_selection.h"
#include "app/commands/input_settings.h"
#include "app/commands/output_frame.h"
#include "app/commands/prediction_files.h"
#include "app/commands/resume.h"
#include "app/commands/shard.h"
#include "app/report_error.h"
#include "lib/datasets/stored_cloud.h"
#include "lib/io/format_error.h"
#include "lib/io/npy.h"
#include "lib/run/report.h"
#include "models/model.h"

namespace grasppanda::app {

namespace {

void choose_writers(const config::Config& config, Takes takes, std::string_view evaluated,
                    PredictSettings& settings) {
  const bool images = takes == Takes::images;
  const std::vector<std::string> formats = config.texts("output.formats");
  settings.report = names_format(config, run::kReportFormat);
  for (const std::string& format : formats) {
    if (format == run::kReportFormat) continue;
    const run::WriterEntry* writer = run::find_writer(format);
    const run::DetectionSetEntry* set = run::find_detection_set(format);
    if (writer == nullptr && set == nullptr) {
      throw UsageError("output.formats: this version does not write '" + format + "' yet");
    }
    const bool fits = set != nullptr ? images
                      : images       ? writer->write_detections != nullptr
                                     : writer->write != nullptr;
    if (!fits) {
      throw UsageError("output.formats: '" + format + "' is no format of " +
                       (images ? "detections" : "grasps") + "; leave it out");
    }
    if (set != nullptr) settings.sets.push_back(set);
  }
  for (const run::WriterEntry& writer : run::writer_list()) {
    // Files of the whole run are made from those of its inputs.
    const bool needed = writer.format == evaluated ||
                        (writer.format == "json" && !settings.sets.empty()) ||
                        (settings.report && run::report_needs(writer, images));
    if (needed || names_format(config, writer.format)) settings.writers.push_back(&writer);
  }
}

// What keeps an array from being a list of rows; empty: nothing does.
std::string no_rows(const io::Array& array) {
  if (array.is_text || array.shape.size() != 1 || array.numel() == 0) {
    return "it is " + io::describe(array);
  }
  if (array.dtype == io::DType::boolean) {
    return "it is " + io::describe(array) + ", a mask; numpy.flatnonzero makes rows of it";
  }
  const std::vector<double> numbers = io::to_float64(array);
  const auto odd = std::ranges::find_if(numbers, [](double v) { return v != std::trunc(v); });
  if (odd == numbers.end()) return {};
  std::ostringstream text;
  text << "entry " << odd - numbers.begin() << " is " << *odd << ", no whole number";
  return text.str();
}

std::vector<std::int64_t> read_sample_index(const std::string& file) {
  const io::Array array = io::read_npy(file);
  std::string problem = no_rows(array);
  try {
    if (problem.empty()) return io::to_int64(array);
  } catch (const std::invalid_argument&) {
    problem = "a number is beyond the range of rows";
  }
  throw io::FormatError(file + ": " + problem +
                        "; --sample-index wants the rows of the masked cloud, (N) whole numbers");
}

// An option that no input can obey is refused: the user believes in it.
void require_obeyed(const Invocation& invocation, const std::vector<datasets::InputRef>& inputs) {
  if (invocation.has("--points") && !invocation.config->is("input.object_mask", "none")) {
    throw UsageError(
        "input.object_mask cannot be used with --points: these are the network's input as it is");
  }
  const auto any = [&](bool (*obeys)(const std::filesystem::path&)) {
    return std::ranges::any_of(inputs, [&](const datasets::InputRef& input) {
      using Kind = datasets::InputRef::Kind;
      return (input.kind == Kind::cloud_file || input.kind == Kind::network_points) &&
             obeys(input.source);
    });
  };
  if (invocation.has("--array") && !any(datasets::is_archive_file)) {
    throw UsageError("--array: no input is an archive of arrays (.npz)");
  }
  if (invocation.has("--index") && !any(datasets::is_array_file)) {
    throw UsageError("--index: no input is an array or an archive of arrays (.npy, .npz)");
  }
}

// What `test` reads back is written whatever the formats are.
std::string_view evaluated_format(const Invocation& invocation, Takes takes) {
  if (invocation.command != "test") return {};
  return takes == Takes::images ? "json" : "npy";
}

PredictSettings predict_settings(const Invocation& invocation, Takes takes) {
  const config::Config& config = *invocation.config;
  PredictSettings settings;
  choose_writers(config, takes, evaluated_format(invocation, takes), settings);
  if (!config.is("output.frame", "camera")) {
    settings.base_from_camera = read_base_from_camera(config.file("output.frame"));
  }
  settings.up = picture_up(invocation);
  settings.stages = invocation.value("--stages");
  if (invocation.has("--sample-index")) {
    settings.sample_index = read_sample_index(invocation.value("--sample-index"));
  }
  settings.seed = static_cast<std::uint64_t>(config.integer("runtime.seed"));
  return settings;
}

std::vector<std::string> names_of(const std::vector<datasets::InputRef>& inputs) {
  std::vector<std::string> names;
  for (const datasets::InputRef& input : inputs) names.push_back(input.name);
  return names;
}

// What --limit leaves of the list, which is the shard's; the summary keeps places for all of it.
// The limit counts inputs of the whole list, so that shards together do what one run does.
std::size_t limited(const Invocation& invocation, std::size_t inputs) {
  if (!invocation.has("--limit")) return inputs;
  return std::min(inputs, shard_of(invocation).share(std::stoull(invocation.value("--limit"))));
}

}  // namespace

InferPlan plan_infer(const Invocation& invocation) {
  if (!invocation.config) throw UsageError("no configuration: give one with -c CONFIG");
  const models::ModelEntry* model = models::find_model(invocation.config->text("model.name"));
  const Takes takes =
      model != nullptr && model->is_detector() ? Takes::images : Takes::frames_and_clouds;
  InferPlan plan;
  if (!invocation.has("--resume")) {
    std::vector<datasets::InputRef> inputs = typed_inputs(invocation, takes);
    require_obeyed(invocation, inputs);
    const Shard shard = shard_of(invocation);
    const std::string whole = shard.is_whole() ? "" : run::whole_list(names_of(inputs));
    inputs = shard.part_of(std::move(inputs));
    plan.list = to_listed(inputs, invocation);
    plan.list.whole = whole;
    plan.inputs = limited(invocation, inputs.size());
    for (std::size_t i = 0; i < plan.inputs; ++i) {
      plan.job.inputs.push_back(inputs[i]);
      plan.job.places.push_back(i);
    }
    plan.job.open = open_settings(*invocation.config, invocation);
    plan.job.predict = predict_settings(invocation, takes);
  } else {
    plan.run.emplace(run::RunDirectory::open(invocation.value("--resume")));
    Resumed resumed = resume_run(plan.run->path(), invocation, takes);
    plan.list = to_listed(resumed.inputs, resumed.invocation);
    plan.list.whole = resumed.whole;
    plan.inputs = limited(resumed.invocation, resumed.inputs.size());
    plan.job.open = open_settings(*invocation.config, resumed.invocation);
    plan.job.predict = predict_settings(resumed.invocation, takes);
    for (std::size_t i = 0; i < resumed.inputs.size(); ++i) {
      auto found = resumed.records.find(resumed.inputs[i].name);
      if (found != resumed.records.end() &&
          still_holds(found->second, plan.run->path(), plan.job.predict.writers)) {
        plan.kept.emplace_back(i, std::move(found->second));
      } else if (i < plan.inputs) {
        plan.job.inputs.push_back(resumed.inputs[i]);
        plan.job.places.push_back(i);
      }
    }
  }
  plan.job.cloud = cloud_settings(*invocation.config);
  if (takes == Takes::images) {
    plan.job.image = image_settings(*invocation.config);
    try {
      plan.job.tiling = models::tiling_settings(*invocation.config);
    } catch (const std::invalid_argument& no_step) {
      throw UsageError(no_step.what());
    }
  }
  return plan;
}

}  // namespace grasppanda::app
