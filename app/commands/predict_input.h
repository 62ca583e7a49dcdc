// One input through model and writers: from what was read to files and a record.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <vector>

#include "app/commands/read_ahead.h"
#include "lib/run/detection_writer.h"
#include "lib/run/input_record.h"
#include "lib/run/run_directory.h"
#include "lib/run/writer.h"
#include "models/model.h"

namespace grasppanda::app {

/// What is the same for every input of a run.
struct PredictSettings {
  std::vector<const run::WriterEntry*> writers;
  std::vector<const run::DetectionSetEntry*> sets;  // of a detector: files of the whole run
  bool report = false;                              // report.html
  std::optional<run::Matrix4> base_from_camera;
  geometry::Vec3 up{0, 0, -1};   // for pictures of stored clouds
  std::filesystem::path stages;  // empty: no stage dumps
  std::optional<std::vector<std::int64_t>> sample_index;
  std::uint64_t seed = 0;
};

/// Grasps (camera frame, best first) over the input that they were found in, as the writers take
/// it. Spans and pointers into the arguments.
run::GraspResult grasp_result(const datasets::InputRef& input, const OpenedInput& opened,
                              std::span<const geometry::Grasp> grasps, const geometry::Vec3& up,
                              const std::optional<run::Matrix4>& base_from_camera);

/// An input that cannot be used is a record with status failed; errors of writing are thrown
/// (io::FormatError), they concern the whole run. `seconds.overlapped` is left at 0.
run::InputRecord predict_input(const datasets::InputRef& input, const OpenedInput& opened,
                               models::GraspModel& model, const PredictSettings& settings,
                               const run::RunDirectory& run);

}  // namespace grasppanda::app
