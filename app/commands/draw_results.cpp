#include "app/commands/draw_results.h"

#include <algorithm>
#include <utility>

#include "app/commands/input_settings.h"
#include "app/commands/output_frame.h"
#include "app/commands/predict_input.h"
#include "lib/datasets/grasp_dump.h"
#include "lib/io/format_error.h"
#include "lib/render/detection_picture.h"
#include "lib/run/detection_text.h"
#include "lib/run/detection_writer.h"
#include "lib/run/run_directory.h"

namespace grasppanda::app {

namespace {

namespace fs = std::filesystem;

// The first `best` (0: all) of those that reach the score; they are stored best first.
template <class Result>
std::vector<Result> chosen(std::vector<Result> results, const DrawSettings& settings) {
  std::erase_if(results, [&](const Result& result) {
    return !(static_cast<double>(result.score) >= settings.least_score);
  });
  if (settings.best > 0 && results.size() > static_cast<std::size_t>(settings.best)) {
    results.resize(static_cast<std::size_t>(settings.best));
  }
  return results;
}

std::vector<geometry::Grasp> stored_grasps(const fs::path& run, const std::string& name) {
  const fs::path json = run / run::find_writer("json")->file(name);
  std::error_code ignored;
  if (fs::exists(json, ignored)) return run::read_grasps(json).grasps;
  const datasets::GraspDump dump =
      datasets::read_grasp_dump(run / run::find_writer("npy")->file(name));
  std::vector<geometry::Grasp> grasps(static_cast<std::size_t>(dump.count()));
  for (std::size_t i = 0; i < grasps.size(); ++i) {
    const double* row = dump.rows.data() + geometry::kGraspColumns * i;
    auto* columns = reinterpret_cast<float*>(&grasps[i]);  // 17 floats, asserted by grasp.h
    std::transform(row, row + geometry::kGraspColumns, columns,
                   [](double value) { return static_cast<float>(value); });
  }
  return grasps;
}

void write_all(const std::string& name, const DrawSettings& settings, const auto& write) {
  for (const run::WriterEntry* writer : settings.writers) {
    const fs::path file = settings.out / writer->file(name);
    run::make_folders(file.parent_path());
    write(*writer, file);
  }
}

void draw_grasps(const datasets::InputRef& input, const OpenedInput& opened, const fs::path& run,
                 const DrawSettings& settings) {
  std::vector<geometry::Grasp> grasps = chosen(stored_grasps(run, input.name), settings);
  if (settings.base_from_camera) {
    grasps = run::grasps_in_camera_frame(grasps, *settings.base_from_camera);
  }
  run::GraspResult result =
      grasp_result(input, opened, grasps, settings.up, settings.base_from_camera);
  result.drawn = settings.best;
  write_all(input.name, settings, [&](const run::WriterEntry& writer, const fs::path& file) {
    writer.write(result, file);
  });
}

void draw_detections(const datasets::InputRef& input, const OpenedInput& opened,
                     const fs::path& run, const DrawSettings& settings) {
  const fs::path predictions = run / run::find_writer("json")->file(input.name);
  const run::StoredDetections stored = run::read_detections(predictions);
  const std::vector<std::string>& classes = stored.classes;
  if (classes.empty()) throw io::FormatError(predictions.string() + ": names no classes");
  std::vector<run::DetectionEntry> entries = chosen(stored.detections, settings);
  for (run::DetectionEntry& entry : entries) {  // decimals of the file to the numbers of the run
    geometry::RotatedBox& box = entry.box;
    for (double* number : {&box.cx, &box.cy, &box.w, &box.h, &box.angle}) {
      *number = static_cast<double>(static_cast<float>(*number));
    }
    if (entry.class_index < 0 || entry.class_index >= static_cast<std::int64_t>(classes.size())) {
      throw io::FormatError(predictions.string() + ": class_index " +
                            std::to_string(entry.class_index) + " of " +
                            std::to_string(classes.size()) + " classes");
    }
  }
  const datasets::AerialImage& image = *opened.image;
  if (image.width != stored.width || image.height != stored.height) {
    throw io::FormatError(input.source.string() + ": is " + std::to_string(image.width) + " x " +
                          std::to_string(image.height) + " pixels, " + predictions.string() +
                          " speaks of " + std::to_string(stored.width) + " x " +
                          std::to_string(stored.height));
  }
  // As in the run: what was cut into tiles is reduced row by row.
  std::optional<io::Image> reduced;
  std::int64_t factor = 1;
  if (!image.rgb || settings.tiling.applies(image.width, image.height)) {
    datasets::RgbRows rows(input.source, settings.image);
    render::ReducedPicture picture(image.width, image.height);
    std::vector<std::uint8_t> row(static_cast<std::size_t>(3 * image.width));
    for (std::int64_t y = 0; y < image.height; ++y) {
      rows.read(1, row.data());
      picture.add(row.data(), 1);
    }
    factor = picture.factor();
    reduced = std::move(picture).take();
  }
  const run::DetectionResult result{.name = input.name,
                                    .width = image.width,
                                    .height = image.height,
                                    .detections = entries,
                                    .classes = classes,
                                    .geo = nullptr,
                                    .picture = reduced ? &*reduced : &*image.rgb,
                                    .reduced = static_cast<double>(factor)};
  write_all(input.name, settings, [&](const run::WriterEntry& writer, const fs::path& file) {
    writer.write_detections(result, file);
  });
}

}  // namespace

DrawSettings draw_settings(const Invocation& begun, bool detections) {
  const config::Config& config = *begun.config;
  DrawSettings settings{.writers = {}, .out = {}, .detections = detections};
  if (detections) {
    settings.image = image_settings(config);
    settings.tiling = models::tiling_settings(config);
    return settings;
  }
  settings.up = picture_up(begun);
  if (!config.is("output.frame", "camera")) {
    settings.base_from_camera = read_base_from_camera(config.file("output.frame"));
  }
  return settings;
}

void draw_results(const datasets::InputRef& input, const OpenedInput& opened, const fs::path& run,
                  const DrawSettings& settings) {
  if (settings.detections) {
    draw_detections(input, opened, run, settings);
  } else {
    draw_grasps(input, opened, run, settings);
  }
}

}  // namespace grasppanda::app
