#include "app/commands/predict_image.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <utility>

#include "app/commands/input_failure.h"
#include "app/commands/prediction_files.h"
#include "app/commands/ran_out.h"
#include "app/commands/stage_dump.h"
#include "app/commands/stopwatch.h"
#include "lib/render/detection_picture.h"

namespace grasppanda::app {

namespace {

using run::InputRecord;
using run::InputStatus;

constexpr double kStronglyReduced = 0.25;

/// The picture under the boxes: whole, or reduced on the way where it was never whole.
struct Ground {
  const io::Image* whole = nullptr;
  std::optional<io::Image> reduced;
  std::int64_t factor = 1;
};

at::Tensor tensor_of(const io::Image& rgb) {
  return at::from_blob(const_cast<std::uint8_t*>(rgb.pixels.data()), {rgb.height, rgb.width, 3},
                       at::kByte);
}

void warn_when_reduced(const models::Detector& detector, const datasets::AerialImage& image,
                       InputRecord& record) {
  const double scale = detector.scale(image.width, image.height);
  if (scale >= kStronglyReduced) return;
  char text[64];
  std::snprintf(text, sizeof text, "%.1f", 1 / scale);
  record.warnings.push_back(
      "the image is shrunk " + std::string(text) +
      " times for the network, which loses small objects; cut it into tiles by "
      "detect.tiling.min_side (for example 1500)");
}

models::TiledOutput detect_in_tiles(const datasets::InputRef& input,
                                    const datasets::AerialImage& image, models::Detector& detector,
                                    const ImageRun& how, const models::StageObserver& observe,
                                    const models::TileProgress& progress, bool wants_picture,
                                    Ground& ground, InputRecord& record) {
  if (image.rgb) {
    const std::uint8_t* next = image.rgb->pixels.data();
    const models::ReadRows read = [&](std::int64_t rows, std::uint8_t* to) {
      const std::int64_t size = rows * image.width * 3;
      std::copy_n(next, size, to);
      next += size;
    };
    if (wants_picture) {
      render::ReducedPicture reduced(image.width, image.height);
      ground.factor = reduced.factor();
      if (ground.factor > 1) {
        reduced.add(image.rgb->pixels.data(), image.height);
        ground.reduced = std::move(reduced).take();
      }
    }
    return detect_tiled(detector, image.width, image.height, read, how.tiling, progress, observe);
  }
  datasets::RgbRows rows(input.source, how.image);
  render::ReducedPicture reduced(wants_picture ? image.width : 1, wants_picture ? image.height : 1);
  const models::ReadRows read = [&](std::int64_t count, std::uint8_t* to) {
    rows.read(count, to);
    if (wants_picture) reduced.add(to, count);
  };
  models::TiledOutput output =
      detect_tiled(detector, image.width, image.height, read, how.tiling, progress, observe);
  for (std::string& warning : rows.warnings()) record.warnings.push_back(std::move(warning));
  ground.factor = reduced.factor();
  if (wants_picture) ground.reduced = std::move(reduced).take();
  return output;
}

void take_tiles(const std::vector<models::TileRecord>& tiles, InputRecord& record) {
  for (const models::TileRecord& tile : tiles) {
    record.tiles.push_back({.window = tile.window, .counts = tile.counts});
  }
}

std::vector<run::DetectionEntry> entries_of(const std::vector<models::Detection>& detections) {
  std::vector<run::DetectionEntry> entries;
  for (const models::Detection& detection : detections) {
    entries.push_back({.box = run::as_written(detection.box),
                       .score = detection.score,
                       .class_index = detection.class_index});
  }
  return entries;
}

}  // namespace

InputRecord predict_image(const datasets::InputRef& input, const OpenedInput& opened,
                          models::Detector& detector, const ImageRun& how,
                          const PredictSettings& settings, const run::RunDirectory& run,
                          const std::function<void(const std::string& where)>& say) {
  Stopwatch watch;
  InputRecord record{.name = input.name, .source = input.source.string()};
  record.read = opened.files;
  record.seconds.read = opened.read_seconds;
  if (opened.failed) {
    note_failure(opened.failed, record);
    return record;
  }
  const datasets::AerialImage& image = *opened.image;
  record.image = run::ImageSize{image.width, image.height};
  record.warnings = image.warnings;

  Ground ground;
  if (image.rgb) ground.whole = &*image.rgb;
  models::DetectionOutput output;
  const models::TileProgress progress = [&say](std::size_t done, std::size_t tiles) {
    say("tile " + std::to_string(done + 1) + " of " + std::to_string(tiles));
  };
  try {
    models::StageObserver observe;
    if (!settings.stages.empty()) observe = stage_writer(settings.stages, input.name);
    if (observe && image.rgb) observe("image", tensor_of(*image.rgb));
    if (how.tiling.applies(image.width, image.height)) {
      const bool wants_picture = std::ranges::any_of(
          settings.writers, [](const run::WriterEntry* writer) { return writer->format == "png"; });
      models::TiledOutput tiled = detect_in_tiles(input, image, detector, how, observe, progress,
                                                  wants_picture, ground, record);
      record.figures.push_back({"tiling", {how.tiling.window, how.tiling.overlap}});
      take_tiles(tiled.tiles, record);
      output = std::move(tiled.joined);
    } else {
      warn_when_reduced(detector, image, record);
      const at::Tensor picture = tensor_of(*image.rgb);
      output = std::move(detector.detect({&picture, 1}, observe, progress).front());
      take_tiles(output.tiles, record);
    }
  } catch (...) {
    record.seconds.network += watch.lap();
    note_failure(std::current_exception(), record);
    return record;
  }
  take_seconds(output.accounting, watch.lap(), record.seconds);
  std::ranges::copy(output.accounting.counts, std::back_inserter(record.counts));
  std::ranges::copy(output.accounting.warnings, std::back_inserter(record.warnings));
  std::ranges::copy(output.figures, std::back_inserter(record.figures));
  record.counts.emplace_back("detections", static_cast<std::int64_t>(output.detections.size()));
  if (output.detections.empty()) {
    record.status = InputStatus::empty;
    record.warnings.push_back(where_it_ran_out(record.counts, "detections") +
                              "; if there should be some, compare the image's ground resolution "
                              "with that of the training images");
  }
  const std::vector<run::DetectionEntry> entries = entries_of(output.detections);
  const run::DetectionResult result{.name = input.name,
                                    .width = image.width,
                                    .height = image.height,
                                    .detections = entries,
                                    .classes = detector.info().classes,
                                    .geo = image.geo ? &*image.geo : nullptr,
                                    .picture = ground.reduced ? &*ground.reduced : ground.whole,
                                    .reduced = static_cast<double>(ground.factor)};
  write_predictions(input.name, settings, run, record,
                    [&](const run::WriterEntry& writer, const std::filesystem::path& file) {
                      writer.write_detections(result, file);
                    });
  record.seconds.write = watch.lap();
  return record;
}

}  // namespace grasppanda::app
