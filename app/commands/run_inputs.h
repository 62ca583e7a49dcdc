// The loop of a run: read ahead, predict, write, record; one bad input does not stop the others.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

#include "app/commands/predict_input.h"
#include "app/invocation.h"
#include "lib/run/summary.h"
#include "models/tiled_detection.h"

namespace grasppanda::app {

struct RunInputs {
  std::vector<datasets::InputRef> inputs;  // to do, in order
  std::vector<std::size_t> places;         // of each in the summary
  datasets::OpenSettings open;
  datasets::CloudSettings cloud;
  datasets::ImageSettings image;
  models::TilingSettings tiling;
  PredictSettings predict;
};

struct RunOutcome {
  bool interrupted = false;
  bool internal_failure = false;  // some input met a fault of ours
  std::vector<run::FileStamp> read, written;
};

/// One opened input to its record, its files written. `say` shows where within it the work is.
using PredictOne =
    std::function<run::InputRecord(const datasets::InputRef& input, const OpenedInput& opened,
                                   const std::function<void(const std::string& where)>& say)>;

/// Says failures and warnings on stderr as they come, shows progress, puts every record into
/// `summary`. Stops before the next input once interrupted(). The model is a parameter, so that the
/// loop runs without weights in tests. Throws io::FormatError when results cannot be written.
RunOutcome run_inputs(const RunInputs& job, const PredictOne& predict, run::Summary& summary,
                      const Invocation& invocation);
RunOutcome run_inputs(const RunInputs& job, models::GraspModel& model, const run::RunDirectory& run,
                      run::Summary& summary, const Invocation& invocation);

}  // namespace grasppanda::app
