// What every grasp model offers to the run loop: load from a checkpoint, predict on one input.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lib/config/config.h"
#include "lib/geometry/grasp.h"
#include "lib/io/checkpoint.h"

namespace grasppanda::models {

/// One input as the models start from it: the masked cloud, before any sampling or voxel step.
struct GraspInput {
  std::string name;
  at::Tensor cloud;        // (n, 3) float64, metres, camera frame
  at::Tensor object_mask;  // (n,) bool, or undefined: none
  std::optional<at::Tensor>
      network_points;  // (M, 3) float32: `--points`, the network's input itself
  std::optional<std::vector<std::int64_t>> sample_index;  // `--sample-index`: replaces the draw
  std::uint64_t seed = 0;
};

/// What happened on the way, in order ("sampled" 20000, "seeds" 2048, "grasps" 86,
/// "after_collision", "after_nms", ...), and how long it took ("prepare", "network",
/// "postprocess").
struct Accounting {
  std::vector<std::pair<std::string, std::int64_t>> counts;
  std::vector<std::pair<std::string, double>> seconds;
  std::vector<std::string> warnings;
};

struct GraspOutput {
  geometry::GraspGroup grasps;  // camera frame, best first, after post-processing
  /// Further numbers per grasp for the JSON file: name ("width_predicted") -> one value a grasp.
  std::vector<std::pair<std::string, std::vector<float>>> extra;
  Accounting accounting;
};

/// Receives a stage under the name of the goldens; called only when `--stages` wants it.
using StageObserver = std::function<void(const std::string& stage, const at::Tensor& value)>;

class GraspModel {
 public:
  virtual ~GraspModel() = default;
  /// Throws InputError for an input that cannot be used. An empty cloud gives an empty result with
  /// one warning that names the stage.
  virtual GraspOutput predict(const GraspInput& input, const StageObserver& observe = {}) = 0;
};

/// A tensor that a checkpoint of this model holds.
struct ExpectedTensor {
  std::string key;
  std::vector<std::int64_t> shape;
  bool used = true;  // false: accepted when present, reported, never computed with
};

class Detector;  // models/detector.h

/// One row of the list of models: a model of grasps has `expected` and `load`, a detector the four
/// functions below them.
struct ModelEntry {
  std::string_view name;    // "contact_graspnet"
  std::string_view family;  // "grasp"; detectors: the project the weights come from ("mmrotate")
  std::vector<ExpectedTensor> (*expected)(const config::Config* config);  // null: its defaults
  /// Fast recognition by telling keys; used to name the model that a file fits better.
  bool (*recognises)(std::span<const io::NamedArray> tensors);
  /// Builds the network from a checkpoint that require_match accepted.
  std::unique_ptr<GraspModel> (*load)(const config::Config& config,
                                      const io::Checkpoint& checkpoint, const at::Device& device);

  /// In place of `expected`: what the network that these tensors make wants, whatever its size.
  std::vector<ExpectedTensor> (*expected_of)(const config::Config* config,
                                             std::span<const io::NamedArray> tensors) = nullptr;
  /// Throws CheckpointError for a file that says itself that it is of another kind; asked first.
  void (*require_kind)(const config::Config& config, const io::Checkpoint& checkpoint) = nullptr;
  /// What such a file says about the network, by name: for listings and converted files.
  std::vector<std::pair<std::string, std::string>> (*facts)(const io::Checkpoint& checkpoint) =
      nullptr;
  /// In place of `load`.
  std::unique_ptr<Detector> (*load_detector)(const config::Config& config,
                                             const io::Checkpoint& checkpoint,
                                             const at::Device& device) = nullptr;

  /// Tensors that a file holds beyond what is expected: an error, or a warning with their names.
  bool tolerates_leftovers = false;

  bool is_detector() const { return load_detector != nullptr; }
};

/// "grasp/contact_graspnet": how listings call a model.
std::string full_name(const ModelEntry& model);
/// Whose weights these are, of the models that are known but not supported: "S2ANet of MMRotate".
/// Empty: of none of them.
std::string unsupported_model(std::span<const io::NamedArray> tensors);

/// THE list of models, in the order shown to users.
std::span<const ModelEntry> model_list();
/// The first of that name; null: none.
const ModelEntry* find_model(std::string_view name);
/// Of the models of that name, which may be several projects': the one of `family`, for "auto" the
/// one that knows the tensors, else the first. Null: no model has that name.
const ModelEntry* choose_model(std::string_view name, std::string_view family,
                               std::span<const io::NamedArray> tensors);

/// How a checkpoint compares with what a model expects; a leading `module.` does not count.
/// `unused`: present, accepted, never computed with. `not_finite`: of those that are used.
struct CheckpointMatch {
  std::vector<std::string> missing, unexpected, unused, wrong_shape, not_finite;  // sentences/keys
  bool tolerates_leftovers = false;  // `unexpected` is no reason to refuse
  bool fits() const;
};
CheckpointMatch match_checkpoint(const ModelEntry& model, const config::Config* config,
                                 std::span<const io::NamedArray> tensors);
/// Throws CheckpointError with the first ten of each kind and the totals, and the name of a model
/// that would fit when there is one, or of one that is not supported, also where its tensors hold
/// all that this model wants. NaN and infinite weights are refused, too.
void require_match(const ModelEntry& model, const CheckpointMatch& match,
                   std::span<const io::NamedArray> tensors, const std::string& file);

}  // namespace grasppanda::models
