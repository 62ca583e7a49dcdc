#include "app/commands/predict_input.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>
#include <utility>

#include "app/commands/input_failure.h"
#include "app/commands/prediction_files.h"
#include "app/commands/ran_out.h"
#include "app/commands/stage_dump.h"
#include "app/commands/stopwatch.h"
#include "lib/datasets/inputs.h"

namespace grasppanda::app {

namespace {

using run::InputRecord;
using run::InputStatus;

InputRecord record_of(const datasets::InputRef& input, const OpenedInput& opened) {
  InputRecord record{.name = input.name, .source = datasets::input_path(input).string()};
  const datasets::Frame& frame = opened.frame;
  if (frame.depth) {
    record.image = run::ImageSize{frame.depth->width, frame.depth->height};
    record.intrinsics = frame.intrinsics;
  }
  const datasets::CloudExtent extent = datasets::cloud_extent(opened.cloud.xyz);
  record.cloud = {.points = extent.points,
                  .min = extent.min,
                  .max = extent.max,
                  .mean = extent.mean,
                  .median_depth = extent.median_depth};
  record.warnings = frame.warnings;
  std::ranges::copy(opened.cloud.warnings, std::back_inserter(record.warnings));
  record.counts = opened.cloud.counts;
  record.read = opened.files;
  record.seconds.read = opened.read_seconds;
  record.seconds.prepare = opened.cloud_seconds;
  return record;
}

// Tensors over the memory of `opened`, which outlives the prediction; models do not write to it.
models::GraspInput model_input(const datasets::InputRef& input, const OpenedInput& opened,
                               const PredictSettings& settings) {
  const auto view = [](const auto& values, at::IntArrayRef shape, at::ScalarType type) {
    return at::from_blob(const_cast<void*>(static_cast<const void*>(values.data())), shape, type);
  };
  const std::int64_t points = opened.cloud.points();
  models::GraspInput result;
  result.name = input.name;
  result.seed = settings.seed;
  result.sample_index = settings.sample_index;
  result.cloud = view(opened.cloud.xyz, {points, 3}, at::kDouble);
  if (!opened.cloud.object_mask.empty()) {
    result.object_mask = view(opened.cloud.object_mask, {points}, at::kByte).to(at::kBool);
  }
  if (input.kind == datasets::InputRef::Kind::network_points) {
    result.network_points = result.cloud.to(at::kFloat);  // exact: it was float32 in the file
  }
  return result;
}

}  // namespace

run::GraspResult grasp_result(const datasets::InputRef& input, const OpenedInput& opened,
                              std::span<const geometry::Grasp> grasps, const geometry::Vec3& up,
                              const std::optional<run::Matrix4>& base_from_camera) {
  run::GraspResult result{.name = input.name,
                          .grasps = grasps,
                          .extra = {},
                          .cloud_xyz = opened.cloud.xyz,
                          .cloud_rgb = opened.cloud.rgb,
                          .picture = std::nullopt,
                          .up = up,
                          .base_from_camera = base_from_camera};
  if (const datasets::Frame& frame = opened.frame; frame.depth) {
    result.picture = run::PictureSource{.width = frame.depth->width,
                                        .height = frame.depth->height,
                                        .intrinsics = frame.intrinsics,
                                        .color = frame.color ? &*frame.color : nullptr};
  }
  return result;
}

InputRecord predict_input(const datasets::InputRef& input, const OpenedInput& opened,
                          models::GraspModel& model, const PredictSettings& settings,
                          const run::RunDirectory& run) {
  Stopwatch watch;
  InputRecord record = record_of(input, opened);
  record.seconds.prepare += watch.lap();
  if (opened.failed) {
    note_failure(opened.failed, record);
    return record;
  }
  models::GraspOutput output;
  try {
    // An empty masked cloud is an empty result, and masked_cloud said where the points ran out.
    if (opened.cloud.points() > 0 || input.kind == datasets::InputRef::Kind::network_points) {
      models::StageObserver observe;
      if (!settings.stages.empty()) observe = stage_writer(settings.stages, input.name);
      output = model.predict(model_input(input, opened, settings), observe);
    }
  } catch (const StageError&) {
    throw;  // like every error of writing
  } catch (...) {
    record.seconds.network += watch.lap();
    note_failure(std::current_exception(), record);
    return record;
  }
  take_seconds(output.accounting, watch.lap(), record.seconds);
  std::ranges::copy(output.accounting.counts, std::back_inserter(record.counts));
  std::ranges::copy(output.accounting.warnings, std::back_inserter(record.warnings));
  if (output.grasps.empty()) {
    record.status = InputStatus::empty;
    const std::vector<std::string>& said =
        opened.cloud.points() == 0 ? opened.cloud.warnings : output.accounting.warnings;
    if (said.empty() && output.accounting.warnings.empty()) {
      record.warnings.push_back(where_it_ran_out(record.counts, "grasps"));
    }
  }
  run::GraspResult result =
      grasp_result(input, opened, output.grasps, settings.up, settings.base_from_camera);
  result.extra = output.extra;
  write_predictions(input.name, settings, run, record,
                    [&](const run::WriterEntry& writer, const std::filesystem::path& file) {
                      writer.write(result, file);
                    });
  record.seconds.write = watch.lap();
  return record;
}

}  // namespace grasppanda::app
