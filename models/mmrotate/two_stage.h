// What MMRotate's two-stage detectors share: proposals from five levels, features of regions, and
// candidates from a region's classes.
#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "models/backbones/region_head.h"
#include "models/mmrotate/detection.h"

namespace grasppanda::models::mmrotate {

/// In pixels of the resized picture. `around`: what suppression sees; horizontal proposals have
/// nothing else.
struct Proposal {
  Box box;
  Bounds around;
  float score;
};

/// Features (R, 256, 7, 7) of boxes that lie in one of P2..P5 by their size.
using Regions = at::Tensor;
Regions horizontal_regions(const Pyramid& levels, const std::vector<Proposal>& proposals);
Regions rotated_regions(const Pyramid& levels, const std::vector<Box>& boxes);

class TwoStageHeads : public Heads {
 public:
  TwoStageHeads(RpnHead rpn, double iou) : rpn_(std::move(rpn)), iou_(iou) {}

  std::vector<Candidate> find(const Pyramid& levels, const Passage& passage) const override;

  /// At most 2000, best first.
  std::vector<Proposal> propose(const Pyramid& levels, const Passage& passage) const;
  /// Candidates in pixels of the picture.
  virtual std::vector<Candidate> classify(const Pyramid& levels,
                                          const std::vector<Proposal>& proposals,
                                          const Passage& passage) const = 0;
  /// Proposals as stages show them.
  virtual at::Tensor proposal_rows(const std::vector<Proposal>& proposals) const = 0;

 protected:
  virtual Proposal decode_proposal(const Bounds& anchor, const float* deltas,
                                   const Passage& passage) const = 0;

 private:
  RpnHead rpn_;
  double iou_;
};

/// With the usual proposals: upright, clipped to the picture.
class HorizontalProposals : public TwoStageHeads {
 public:
  explicit HorizontalProposals(RpnHead rpn);
  at::Tensor proposal_rows(const std::vector<Proposal>& proposals) const override;

 protected:
  Proposal decode_proposal(const Bounds& anchor, const float* deltas,
                           const Passage& passage) const override;
};

/// The head over the regions of a stage, on the CPU; shows features, logits and deltas.
RegionOutput show_stage(const Regions& regions, const RegionHead& head, int stage,
                        const Passage& passage);

/// Softmax over the classes, the last of which is the background; every pair of region and class
/// above the threshold is a candidate.
std::vector<Candidate> region_candidates(
    const at::Tensor& logits, const Passage& passage,
    const std::function<Box(std::int64_t region, std::int64_t label)>& decode);

RpnHead rpn_head(LayerSource& source, std::int64_t deltas);
/// `deltas`: outputs for the boxes.
RegionHead region_head(LayerSource& source, const std::string& name, std::int64_t classes,
                       std::int64_t deltas);
/// What the tensors say: classes without the background, numbers that describe a proposal.
std::int64_t region_classes(std::span<const io::NamedArray> tensors, const std::string& head);
std::int64_t proposal_deltas(std::span<const io::NamedArray> tensors);

/// One stage of regions over proposals of `deltas` numbers: Oriented R-CNN, Rotated Faster R-CNN.
bool has_one_stage(std::span<const io::NamedArray> tensors, std::int64_t deltas);
std::int64_t one_stage_classes(std::span<const io::NamedArray> tensors);
RegionHead one_stage_head(LayerSource& source, std::span<const io::NamedArray> tensors);

std::vector<Box> boxes_of(const std::vector<Proposal>& proposals);
at::Tensor rotated_rows(const std::vector<Proposal>& proposals);  // (n, 6)
at::Tensor with_batch_index(const std::vector<Box>& boxes);       // (n, 6), batch index first

}  // namespace grasppanda::models::mmrotate
