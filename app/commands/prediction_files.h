// What frames, clouds and images have in common once a model has answered: the files of an input,
// and the seconds that its record tells.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "app/commands/predict_input.h"
#include "lib/run/input_list.h"
#include "models/model.h"

namespace grasppanda::app {

/// Calls `write` for every writer of the run and notes the files. The first one in `predictions/`
/// names the prediction: the .npy of grasps, the JSON where there is none.
void write_predictions(const std::string& name, const PredictSettings& settings,
                       const run::RunDirectory& run, run::InputRecord& record,
                       const std::function<void(const run::WriterEntry& writer,
                                                const std::filesystem::path& file)>& write);

/// Does output.formats of the configuration name it?
bool names_format(const config::Config& config, std::string_view format);

/// The files of the whole run that `sets` make of the predictions that are there (an image that
/// failed has none), and their stamps behind `written`. Throws io::FormatError.
void write_detection_sets(const std::vector<const run::DetectionSetEntry*>& sets,
                          const run::RunDirectory& run, const run::InputList& inputs,
                          const std::vector<std::string>& classes,
                          std::vector<run::FileStamp>& written);

/// Adds what a model says about its time. `all`: seconds that passed; what no stage claims is the
/// handing over of results.
void take_seconds(const models::Accounting& accounting, double all, run::InputSeconds& seconds);

}  // namespace grasppanda::app
