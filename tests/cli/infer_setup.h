// What the tests of `infer` start from: weights and frames made on the spot, a config, and the run
// directory read back.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/cli/program.h"
#include "tests/support/scratch_folder.h"

namespace grasppanda::tests {

/// Contact-GraspNet weights of the real names and shapes, every number a function of its place.
/// Written as safetensors. The network they make answers something everywhere; nothing is learnt.
void write_made_weights(const std::filesystem::path& file);

/// A frame of 64 x 48 pixels: a table 0.6 m away with a box on it. `box`: its left column, so that
/// frames differ. Depth in metres (.npy), meta.json.
void write_made_frame(const std::filesystem::path& folder, int box = 20);
/// A frame whose depth picture is no picture.
void write_broken_frame(const std::filesystem::path& folder);

/// An empty folder with `w.safetensors` (a link to weights that are made once per process) and
/// `run.yaml`, in which the program is run.
class InferFolder {
 public:
  explicit InferFolder(const std::string& formats = "[npy, json]");
  const std::filesystem::path& path() const { return scratch_.path(); }
  std::filesystem::path operator/(const std::string& name) const { return scratch_.path() / name; }

  /// `infer -c run.yaml` and the arguments.
  Finished infer(std::vector<std::string> arguments) const;
  /// The same without a config of its own.
  Finished program(const std::vector<std::string>& arguments) const;
  /// What the command printed last, as a path: the run directory.
  std::filesystem::path run_of(const Finished& finished) const;

 private:
  ScratchFolder scratch_;
};

nlohmann::ordered_json json_file(const std::filesystem::path& file);
/// The entry of `name` in the run's summary.json.
nlohmann::ordered_json input_of(const std::filesystem::path& run, const std::string& name);

}  // namespace grasppanda::tests
