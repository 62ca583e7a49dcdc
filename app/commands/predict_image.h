// One image through detector and writers: from what was opened to files and a record.
#pragma once

#include <functional>
#include <string>

#include "app/commands/predict_input.h"
#include "app/commands/read_ahead.h"
#include "lib/datasets/aerial_image.h"
#include "models/detector.h"
#include "models/tiled_detection.h"

namespace grasppanda::app {

/// What is the same for every image of a run.
struct ImageRun {
  models::TilingSettings tiling;
  datasets::ImageSettings image;
};

/// An image that cannot be used is a record with status failed; errors of writing are thrown
/// (io::FormatError), they concern the whole run. `seconds.overlapped` is left at 0. `say` is told
/// which tile is at work.
run::InputRecord predict_image(const datasets::InputRef& input, const OpenedInput& opened,
                               models::Detector& detector, const ImageRun& how,
                               const PredictSettings& settings, const run::RunDirectory& run,
                               const std::function<void(const std::string& where)>& say);

}  // namespace grasppanda::app
