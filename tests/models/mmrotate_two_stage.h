// A two-stage detector of MMRotate on one golden picture: the network runs once.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/mmrotate/two_stage.h"
#include "tests/models/published_goldens.h"

namespace grasppanda::tests {

class TwoStageRun {
 public:
  /// Runs the detector over `demo_crop.png` and checks every stage that does not depend on the
  /// proposals, and the detections.
  TwoStageRun(const models::mmrotate::Blueprint& blueprint, const std::string& name,
              const std::filesystem::path& folder, const std::filesystem::path& picture,
              const std::string& config, const MatchLimits& limits);

  const StageGolden& golden() const { return golden_; }
  const at::Tensor& stage(const std::string& name) const { return stages_.at(name); }

  /// One stage of regions over the golden's own: features, logits and deltas of `stage` ("roi0.")
  /// as recorded, and the detections that follow.
  using Regions = std::function<std::vector<models::mmrotate::Candidate>(
      const models::mmrotate::TwoStageHeads&, const models::mmrotate::Pyramid&,
      const models::mmrotate::Passage&)>;
  void check_regions(const Regions& regions, const std::string& stage,
                     const MatchLimits& limits) const;
  /// Detections of line 1.x, from the same maps.
  void check_second_line(const MatchLimits& limits) const;

 private:
  models::mmrotate::Pyramid pyramid() const;

  std::filesystem::path folder_;
  StageGolden golden_;
  io::Checkpoint checkpoint_;
  std::unique_ptr<models::mmrotate::TwoStageHeads> heads_;
  models::mmrotate::Settings settings_;
  models::mmrotate::Resizing size_{};
  Stages stages_;
};

}  // namespace grasppanda::tests
