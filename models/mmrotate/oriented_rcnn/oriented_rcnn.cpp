#include "models/mmrotate/oriented_rcnn/oriented_rcnn.h"

#include <ATen/ATen.h>

#include <utility>

#include "models/mmrotate/two_stage.h"

namespace grasppanda::models::mmrotate::oriented_rcnn {

namespace {

constexpr double kProposalIou = 0.8;
constexpr std::int64_t kDeltas = 6;  // of a proposal
constexpr DeltaCoder kCoder{
    .stds = {0.1F, 0.1F, 0.2F, 0.2F, 0.1F}, .edge_swap = true, .projected = true};

class OrientedHeads final : public TwoStageHeads {
 public:
  OrientedHeads(RpnHead rpn, RegionHead head)
      : TwoStageHeads(std::move(rpn), kProposalIou), head_(std::move(head)) {}

  Proposal decode_proposal(const Bounds& anchor, const float* deltas,
                           const Passage& passage) const override {
    // The rotated box is kept; suppression looks at the box around it.
    const Settings& settings = passage.settings;
    const Box box = decode_midpoint(anchor, deltas, settings.angle, settings.line);
    return {box, bounds_of(box, settings.angle, settings.line), 0};
  }

  std::vector<Candidate> classify(const Pyramid& levels, const std::vector<Proposal>& proposals,
                                  const Passage& passage) const override {
    const Regions regions = rotated_regions(levels, boxes_of(proposals));
    const RegionOutput output = show_stage(regions, head_, 0, passage);
    const PictureSize size = passage.picture_size();
    return region_candidates(output.classes, passage, [&](std::int64_t region, std::int64_t) {
      return decode_rotated(proposals[static_cast<std::size_t>(region)].box,
                            output.boxes.const_data_ptr<float>() + 5 * region, kCoder,
                            passage.settings.angle, &size);
    });
  }

  at::Tensor proposal_rows(const std::vector<Proposal>& proposals) const override {
    return rotated_rows(proposals);
  }

 private:
  RegionHead head_;
};

std::unique_ptr<Heads> make_heads(LayerSource& source, std::span<const io::NamedArray> tensors) {
  RpnHead rpn = rpn_head(source, kDeltas);
  return std::make_unique<OrientedHeads>(std::move(rpn), one_stage_head(source, tensors));
}

bool recognises(std::span<const io::NamedArray> tensors) {
  return has_one_stage(tensors, kDeltas);
}

}  // namespace

const Blueprint& blueprint() {
  static const Blueprint kBlueprint{ExtraLevels::pooled, recognises, one_stage_classes, make_heads};
  return kBlueprint;
}

}  // namespace grasppanda::models::mmrotate::oriented_rcnn
