// The way of a picture through one of oriented-det's detectors; the heads are what differs.
#pragma once

#include <ATen/core/Tensor.h>

#include <c10/core/Device.h>

#include <array>
#include <memory>
#include <string>
#include <vector>

#include "models/backbones/prior_rows.h"
#include "models/detector.h"
#include "models/oriented_det/preprocess.h"
#include "models/oriented_det/selection.h"
#include "models/oriented_det/trunk.h"

namespace grasppanda::models::oriented_det {

using Pyramid = std::array<at::Tensor, 5>;

struct Settings {
  DetectSettings detect;
  ResizeMode mode = ResizeMode::fixed;
  Canvas canvas{1024, 1024};
  std::int64_t pad_divisor = 32;
  std::array<std::int64_t, 5> strides{};  // of levels whose maps do not tell theirs
  Normalization normalization{};
  std::vector<std::string> classes;
  double overlap = 200;  // of the windows of pictures that are larger than the canvas (window_step)
  double merge_iou = 0.1;        // exact overlap above which windows' detections are one
  double ignored_margin = 0;     // of windows, along sides inside of the picture
  std::size_t window_batch = 1;  // windows that go through the backbone together
  std::vector<std::string> warnings;
  // Two-stage detectors only.
  std::int64_t proposals_before = 6000, proposals_after = 6000;  // suppression, of a picture
  double proposal_iou = 0.8;
  bool top_class_only = true;
};

/// One picture on its way.
struct Passage {
  const Settings& settings;
  at::Tensor input;
  Accounting& accounting;
  const StageObserver& observe;

  void show(const std::string& stage, const at::Tensor& value) const {
    if (observe) observe(stage, value);
  }
};

class Heads {
 public:
  virtual ~Heads() = default;
  /// Detections after suppression, best first, in pixels of the input.
  virtual std::vector<Candidate> find(const Pyramid& levels, const Passage& passage) const = 0;
};

/// One of the detectors: what is special about it.
struct Blueprint {
  ExtraLevels extra;
  double proposal_iou;  // what "auto" means
  bool exact_on_cpu;    // the final suppression on a CPU, whatever `final_nms_use_cpu` says
  bool (*recognises)(std::span<const io::NamedArray> tensors);
  std::int64_t (*classes)(std::span<const io::NamedArray> tensors);
  std::unique_ptr<Heads> (*heads)(LayerSource& source, std::span<const io::NamedArray> tensors);
};
std::vector<ExpectedTensor> expected_of(const Blueprint& blueprint,
                                        std::span<const io::NamedArray> tensors);
std::unique_ptr<Detector> load_detector(const Blueprint& blueprint, const config::Config& config,
                                        const io::Checkpoint& checkpoint, const at::Device& device);
/// Throws CheckpointError, ops::ArgumentError for a variable of the package that is none.
Settings read_settings(const Blueprint& blueprint, const config::Config& config,
                       const io::Checkpoint& checkpoint, const at::Device& device);

/// (n, 5), (n,), (n,): as stages show candidates; labels from 1, as the package counts.
at::Tensor boxes_of(const std::vector<Candidate>& candidates);
at::Tensor scores_of(const std::vector<Candidate>& candidates);
at::Tensor labels_of(const std::vector<Candidate>& candidates);

}  // namespace grasppanda::models::oriented_det
