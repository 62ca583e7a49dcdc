#include "models/mmrotate/oriented_rcnn/oriented_rcnn.h"

#include <ATen/ATen.h>

#include <utility>

#include "models/mmrotate/two_stage.h"

namespace grasppanda::models::mmrotate::oriented_rcnn {

namespace {

constexpr double kProposalIou = 0.8;
constexpr DeltaCoder kCoder{
    .stds = {0.1F, 0.1F, 0.2F, 0.2F, 0.1F}, .edge_swap = true, .projected = true};
const std::string kHead = "roi_head.bbox_head";

std::int64_t classes_of(std::span<const io::NamedArray> tensors) {
  return region_classes(tensors, kHead);
}

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
  RpnHead rpn = rpn_head(source, 6);
  return std::make_unique<OrientedHeads>(std::move(rpn),
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
  return proposal_deltas(tensors) == 6 &&
         shape_of(tensors, "roi_head.bbox_head.fc_reg.weight") != nullptr;
}

std::unique_ptr<Detector> load(const config::Config& config, const io::Checkpoint& checkpoint,
                               const at::Device& device) {
  return load_detector(blueprint(), config, checkpoint, device);
}

}  // namespace grasppanda::models::mmrotate::oriented_rcnn
