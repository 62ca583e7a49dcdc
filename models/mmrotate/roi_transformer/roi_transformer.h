// RoI Transformer of MMRotate. Source: Ding et al., Learning RoI Transformer for Oriented Object
// Detection in Aerial Images, CVPR 2019; Zhou et al., MMRotate, ACM MM 2022.
#pragma once

#include <vector>

#include "models/mmrotate/two_stage.h"

namespace grasppanda::models::mmrotate::roi_transformer {

const Blueprint& blueprint();

class RoiTransformerHeads final : public HorizontalProposals {
 public:
  RoiTransformerHeads(RpnHead rpn, RegionHead first, RegionHead second)
      : HorizontalProposals(std::move(rpn)), first_(std::move(first)), second_(std::move(second)) {}

  std::vector<Candidate> classify(const Pyramid& levels, const std::vector<Proposal>& proposals,
                                  const Passage& passage) const override;
  /// The second stage alone: candidates from rotated regions and the first stage's logits for them.
  std::vector<Candidate> refine(const Pyramid& levels, const std::vector<Box>& rois,
                                const at::Tensor& first_logits, const Passage& passage) const;

 private:
  RegionHead first_, second_;
};

}  // namespace grasppanda::models::mmrotate::roi_transformer
