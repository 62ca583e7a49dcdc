// What oriented-det's two-stage detectors share: proposals of a picture, and detections from the
// classes of a region.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "lib/ops/rotated/roi_align.h"
#include "models/backbones/region_head.h"
#include "models/oriented_det/detection.h"
#include "models/oriented_det/priors.h"

namespace grasppanda::models::oriented_det {

/// In pixels of the input. Horizontal proposals have the angle 0.
struct Proposal {
  Box box;
  float score;
};

class TwoStageHeads : public Heads {
 public:
  TwoStageHeads(RpnHead rpn, RegionHead head) : rpn_(std::move(rpn)), head_(std::move(head)) {}

  std::vector<Candidate> find(const Pyramid& levels, const Passage& passage) const override;
  /// Best first.
  std::vector<Proposal> propose(const Pyramid& levels, const Passage& passage) const;
  /// Detections from given proposals.
  std::vector<Candidate> classify(const Pyramid& levels, const std::vector<Proposal>& proposals,
                                  const Passage& passage) const;
  /// Proposals as stages show them.
  virtual at::Tensor proposal_rows(const std::vector<Proposal>& proposals) const = 0;

 protected:
  /// Decoded, and brought inside of the picture.
  virtual Box decode_proposal(const Box& anchor, const float* deltas,
                              const Passage& passage) const = 0;
  /// Indices of the boxes that stay.
  virtual at::Tensor suppress_proposals(const at::Tensor& boxes, const at::Tensor& scores,
                                        const Settings& settings) const = 0;
  /// (R, 256, 7, 7) of boxes (R, 5).
  virtual at::Tensor features(const Pyramid& levels, const at::Tensor& boxes,
                              const Passage& passage) const = 0;
  virtual Box decode_region_box(const Box& proposal, const float* deltas) const = 0;

 private:
  RpnHead rpn_;
  RegionHead head_;
};

/// P2..P5 with their strides in this input.
ops::FeaturePyramid feature_pyramid(const Pyramid& levels, const Passage& passage);

RpnHead rpn_head(LayerSource& source, std::int64_t deltas);
/// Files hold each layer of the head under two names.
RegionHead region_head(LayerSource& source, std::span<const io::NamedArray> tensors);
std::int64_t region_classes(std::span<const io::NamedArray> tensors);
std::int64_t proposal_deltas(std::span<const io::NamedArray> tensors);

}  // namespace grasppanda::models::oriented_det
