#include "models/oriented_det/oriented_rcnn/oriented_rcnn.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "lib/ops/rotated/hbb_nms.h"
#include "lib/ops/rotated/rotated_roi_align.h"
#include "models/oriented_det/two_stage.h"

namespace grasppanda::models::oriented_det::oriented_rcnn {

namespace {

constexpr DeltaCoder kCoder{.stds = {0.1F, 0.1F, 0.2F, 0.2F, 0.1F}};

class OrientedHeads final : public TwoStageHeads {
 public:
  using TwoStageHeads::TwoStageHeads;

  at::Tensor proposal_rows(const std::vector<Proposal>& proposals) const override {
    std::vector<Candidate> rows;
    for (const Proposal& p : proposals) rows.push_back({p.box, p.score, 0});
    return boxes_of(rows);
  }

 protected:
  Box decode_proposal(const Box& anchor, const float* deltas,
                      const Passage& passage) const override {
    const float w = static_cast<float>(passage.input.size(3));
    const float h = static_cast<float>(passage.input.size(2));
    Box box = decode_midpoint({anchor.cx - anchor.w / 2, anchor.cy - anchor.h / 2,
                               anchor.cx + anchor.w / 2, anchor.cy + anchor.h / 2},
                              deltas);
    const float most = 2 * std::max(w, h);
    box.cx = std::clamp(box.cx, 0.0F, w);
    box.cy = std::clamp(box.cy, 0.0F, h);
    box.w = std::min(box.w, most);
    box.h = std::min(box.h, most);
    return box;
  }

  at::Tensor suppress_proposals(const at::Tensor& boxes, const at::Tensor& scores,
                                const Settings& settings) const override {
    return ops::hbb_nms(boxes, scores, settings.proposal_iou, settings.proposals_after);
  }

  at::Tensor features(const Pyramid& levels, const at::Tensor& boxes,
                      const Passage& passage) const override {
    at::Tensor regions = boxes.clone();
    regions.narrow(1, 2, 2).clamp_min_(1);  // regions are at least one pixel wide
    return ops::rotated_roi_align(feature_pyramid(levels, passage), regions.to(levels[0].device()),
                                  ops::RoiAlignVariant::oriented_det);
  }

  Box decode_region_box(const Box& proposal, const float* deltas) const override {
    Box region = proposal;
    region.w = std::max(region.w, 1.0F);
    region.h = std::max(region.h, 1.0F);
    return decode_rotated(region, deltas, kCoder);
  }
};

std::unique_ptr<Heads> make_heads(LayerSource& source, std::span<const io::NamedArray> tensors) {
  RpnHead rpn = rpn_head(source, 6);
  return std::make_unique<OrientedHeads>(std::move(rpn), region_head(source, tensors));
}

bool recognises(std::span<const io::NamedArray> tensors) {
  return has_trunk(tensors) && proposal_deltas(tensors) == 6;
}

}  // namespace

const Blueprint& blueprint() {
  static const Blueprint kBlueprint{ExtraLevels::pooled, 0.8,       false, recognises,
                                    region_classes,      make_heads};
  return kBlueprint;
}

}  // namespace grasppanda::models::oriented_det::oriented_rcnn
