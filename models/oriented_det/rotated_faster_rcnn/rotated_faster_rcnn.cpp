#include "models/oriented_det/rotated_faster_rcnn/rotated_faster_rcnn.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <utility>

#include "lib/ops/rotated/horizontal_nms.h"
#include "lib/ops/rotated/roi_align.h"
#include "models/oriented_det/two_stage.h"

namespace grasppanda::models::oriented_det::rotated_faster_rcnn {

namespace {

Bounds bounds_of(const Box& box) {
  return {box.cx - box.w / 2, box.cy - box.h / 2, box.cx + box.w / 2, box.cy + box.h / 2};
}

/// (n, 5) of angle 0 -> (n, 4): x1, y1, x2, y2.
at::Tensor corners(const at::Tensor& boxes) {
  const at::Tensor centre = boxes.narrow(1, 0, 2), half = boxes.narrow(1, 2, 2) / 2;
  return at::cat({centre - half, centre + half}, 1).contiguous();
}

class RotatedFasterHeads final : public TwoStageHeads {
 public:
  using TwoStageHeads::TwoStageHeads;

  at::Tensor proposal_rows(const std::vector<Proposal>& proposals) const override {
    std::vector<Candidate> rows;
    for (const Proposal& p : proposals) rows.push_back({p.box, p.score, 0});
    return corners(boxes_of(rows));
  }

 protected:
  Box decode_proposal(const Box& anchor, const float* deltas,
                      const Passage& passage) const override {
    const float w = static_cast<float>(passage.input.size(3));
    const float h = static_cast<float>(passage.input.size(2));
    Bounds box = decode_horizontal(anchor, deltas);
    box = {std::clamp(box.x1, 0.0F, w), std::clamp(box.y1, 0.0F, h), std::clamp(box.x2, 0.0F, w),
           std::clamp(box.y2, 0.0F, h)};
    return {(box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2, box.x2 - box.x1, box.y2 - box.y1, 0};
  }

  at::Tensor suppress_proposals(const at::Tensor& boxes, const at::Tensor& scores,
                                const Settings& settings) const override {
    return ops::horizontal_nms(corners(boxes), scores, settings.proposal_iou,
                               settings.proposals_after);
  }

  at::Tensor features(const Pyramid& levels, const at::Tensor& boxes,
                      const Passage& passage) const override {
    return ops::roi_align(feature_pyramid(levels, passage), corners(boxes).to(levels[0].device()));
  }

  Box decode_region_box(const Box& proposal, const float* deltas) const override {
    return decode_region(bounds_of(proposal), deltas);
  }
};

std::unique_ptr<Heads> make_heads(LayerSource& source, std::span<const io::NamedArray> tensors) {
  RpnHead rpn = rpn_head(source, 4);
  return std::make_unique<RotatedFasterHeads>(std::move(rpn), region_head(source, tensors));
}

bool recognises(std::span<const io::NamedArray> tensors) {
  return has_trunk(tensors) && proposal_deltas(tensors) == 4;
}

}  // namespace

const Blueprint& blueprint() {
  static const Blueprint kBlueprint{ExtraLevels::pooled, 0.7,       false, recognises,
                                    region_classes,      make_heads};
  return kBlueprint;
}

}  // namespace grasppanda::models::oriented_det::rotated_faster_rcnn
