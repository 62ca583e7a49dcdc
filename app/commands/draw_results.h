// Results of a run that are stored, drawn anew over their inputs.
#pragma once

#include <filesystem>
#include <optional>
#include <vector>

#include "app/commands/read_ahead.h"
#include "app/invocation.h"
#include "lib/run/writer.h"
#include "models/tiled_detection.h"

namespace grasppanda::app {

struct DrawSettings {
  std::vector<const run::WriterEntry*> writers;
  std::filesystem::path out;  // where their files go, under the names that they have in a run
  std::int64_t best = 50;     // so many results are drawn; 0: all
  double least_score = 0;     // lower ones are not
  bool detections = false;
  // As the run was made.
  std::optional<run::Matrix4> base_from_camera{};
  geometry::Vec3 up{0, 0, -1};
  datasets::ImageSettings image{};
  models::TilingSettings tiling{};
};

/// What the configuration and the options of the run say. Throws UsageError, io::FormatError.
DrawSettings draw_settings(const Invocation& begun, bool detections);

/// Reads predictions/NAME.json (of grasps also .npy) of `run` and writes the files of one input.
/// Throws io::FormatError.
void draw_results(const datasets::InputRef& input, const OpenedInput& opened,
                  const std::filesystem::path& run, const DrawSettings& settings);

}  // namespace grasppanda::app
