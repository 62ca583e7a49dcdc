#include "models/mmrotate/rotated_faster_rcnn/rotated_faster_rcnn.h"

#include <ATen/ATen.h>

#include <utility>

#include "models/mmrotate/two_stage.h"

namespace grasppanda::models::mmrotate::rotated_faster_rcnn {

namespace {

constexpr std::int64_t kDeltas = 4;  // of a proposal
constexpr DeltaCoder kCoder{
    .stds = {0.1F, 0.1F, 0.2F, 0.2F, 0.1F}, .angle_factor = 2.0F, .edge_swap = true};

class RotatedFasterHeads final : public HorizontalProposals {
 public:
  RotatedFasterHeads(RpnHead rpn, RegionHead head)
      : HorizontalProposals(std::move(rpn)), head_(std::move(head)) {}

  std::vector<Candidate> classify(const Pyramid& levels, const std::vector<Proposal>& proposals,
                                  const Passage& passage) const override {
    const Regions regions = horizontal_regions(levels, proposals);
    const RegionOutput output = show_stage(regions, head_, 0, passage);
    return region_candidates(output.classes, passage, [&](std::int64_t region, std::int64_t) {
      return decode_rotated_of(proposals[static_cast<std::size_t>(region)].around,
                               output.boxes.const_data_ptr<float>() + 5 * region, kCoder,
                               passage.settings.angle);
    });
  }

 private:
  RegionHead head_;
};

std::unique_ptr<Heads> make_heads(LayerSource& source, std::span<const io::NamedArray> tensors) {
  RpnHead rpn = rpn_head(source, kDeltas);
  return std::make_unique<RotatedFasterHeads>(std::move(rpn), one_stage_head(source, tensors));
}

bool recognises(std::span<const io::NamedArray> tensors) {
  return has_one_stage(tensors, kDeltas);
}

}  // namespace

const Blueprint& blueprint() {
  static const Blueprint kBlueprint{ExtraLevels::pooled, recognises, one_stage_classes, make_heads};
  return kBlueprint;
}

}  // namespace grasppanda::models::mmrotate::rotated_faster_rcnn
