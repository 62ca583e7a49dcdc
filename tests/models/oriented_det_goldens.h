// One of oriented-det's detectors on the golden picture: the network runs once.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/oriented_det/detection.h"
#include "tests/models/published_goldens.h"

namespace grasppanda::tests {

class PackageRun {
 public:
  /// Runs the detector over `demo.png` and checks every stage up to the heads' maps, the sums of
  /// anchors, and the detections.
  PackageRun(const std::string& name, const std::filesystem::path& goldens,
             const std::filesystem::path& picture);

  const StageGolden& golden() const { return golden_; }
  const at::Tensor& stage(const std::string& name) const { return stages_.at(name); }
  const io::Checkpoint& checkpoint() const { return checkpoint_; }
  const config::Config& config() const { return config_; }

 private:
  StageGolden golden_;
  io::Checkpoint checkpoint_;
  config::Config config_;
  Stages stages_;
};

/// Four positions of a map against their rows, within 1e-3 of the largest magnitude.
void check_rows(const at::Tensor& got, const StageGolden& golden, const std::string& name);
/// Detections by class, overlap and score: 99 % have a partner on either side.
void check_overlaps(const at::Tensor& boxes, const at::Tensor& scores, const at::Tensor& labels,
                    const StageGolden& golden, const std::string& suffix);

}  // namespace grasppanda::tests
