// The way of a picture through one of MMRotate's detectors; the heads are what differs.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <memory>
#include <vector>

#include "models/backbones/prior_rows.h"
#include "models/detector.h"
#include "models/mmrotate/selection.h"
#include "models/mmrotate/settings.h"
#include "models/mmrotate/trunk.h"

namespace grasppanda::models::mmrotate {

using Pyramid = std::array<at::Tensor, 5>;

/// One picture on its way.
struct Passage {
  const Settings& settings;
  Resizing size;
  Accounting& accounting;
  const StageObserver& observe;

  PictureSize picture_size() const {
    return {static_cast<float>(size.resized_width), static_cast<float>(size.resized_height)};
  }
  void show(const std::string& stage, const at::Tensor& value) const {
    if (observe) observe(stage, value);
  }
};

class Heads {
 public:
  virtual ~Heads() = default;
  /// Candidates above the threshold, before suppression, in pixels of the picture.
  virtual std::vector<Candidate> find(const Pyramid& levels, const Passage& passage) const = 0;
};

/// One of the detectors: what is special about it.
struct Blueprint {
  ExtraLevels extra;
  bool (*recognises)(std::span<const io::NamedArray> tensors);
  std::int64_t (*classes)(std::span<const io::NamedArray> tensors);
  std::unique_ptr<Heads> (*heads)(LayerSource& source, std::span<const io::NamedArray> tensors);
};
/// What a checkpoint of it holds; of a usual size where there are no tensors.
std::vector<ExpectedTensor> expected_of(const Blueprint& blueprint,
                                        std::span<const io::NamedArray> tensors);
/// Throws CheckpointError where config and file disagree.
std::unique_ptr<Detector> load_detector(const Blueprint& blueprint, const config::Config& config,
                                        const io::Checkpoint& checkpoint, const at::Device& device);

/// rows (n, 6): box, score.
at::Tensor rows_of(const std::vector<Candidate>& candidates);

}  // namespace grasppanda::models::mmrotate
