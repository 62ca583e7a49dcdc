#include "models/mmrotate/rotated_faster_rcnn/rotated_faster_rcnn.h"

#include <ATen/ATen.h>

#include <utility>

#include "models/mmrotate/two_stage.h"

namespace grasppanda::models::mmrotate::rotated_faster_rcnn {

namespace {

constexpr DeltaCoder kCoder{
    .stds = {0.1F, 0.1F, 0.2F, 0.2F, 0.1F}, .angle_factor = 2.0F, .edge_swap = true};
const std::string kHead = "roi_head.bbox_head";

std::int64_t classes_of(std::span<const io::NamedArray> tensors) {
  return region_classes(tensors, kHead);
}

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
  RpnHead rpn = rpn_head(source, 4);
  return std::make_unique<RotatedFasterHeads>(std::move(rpn),
                                              region_head(source, kHead, classes_of(tensors), 5));
}

}  // namespace

const Blueprint& blueprint() {
  static const Blueprint kBlueprint{ExtraLevels::pooled, classes_of, make_heads};
  return kBlueprint;
}

std::vector<ExpectedTensor> expected_tensors(const config::Config*,
                                             std::span<const io::NamedArray> tensors) {
  return expected_of(blueprint(), tensors);
}

bool recognises(std::span<const io::NamedArray> tensors) {
  return proposal_deltas(tensors) == 4 &&
         shape_of(tensors, "roi_head.bbox_head.fc_reg.weight") != nullptr &&
         shape_of(tensors, "roi_head.bbox_head.fc_fix.weight") == nullptr;
}

std::unique_ptr<Detector> load(const config::Config& config, const io::Checkpoint& checkpoint,
                               const at::Device& device) {
  return load_detector(blueprint(), config, checkpoint, device);
}

}  // namespace grasppanda::models::mmrotate::rotated_faster_rcnn
