#include "models/mmrotate/roi_transformer/roi_transformer.h"

#include <ATen/ATen.h>

#include <utility>

#include "models/mmrotate/two_stage.h"

namespace grasppanda::models::mmrotate::roi_transformer {

namespace {

const std::string kFirst = "roi_head.bbox_head.0", kSecond = "roi_head.bbox_head.1";

std::int64_t classes_of(std::span<const io::NamedArray> tensors) {
  return region_classes(tensors, kSecond);
}

// The lines differ in how far an angle's delta reaches.
DeltaCoder first_coder(const Settings& settings) {
  DeltaCoder coder{.stds = {0.1F, 0.1F, 0.2F, 0.2F, settings.line == Line::v0 ? 1.0F : 0.1F}};
  if (settings.angle == AngleConvention::oc) return coder;
  coder.angle_factor = 2.0F;
  coder.edge_swap = true;
  return coder;
}

DeltaCoder second_coder(const Settings& settings) {
  DeltaCoder coder{.stds = {0.05F, 0.05F, 0.1F, 0.1F, settings.line == Line::v0 ? 0.5F : 0.05F}};
  coder.projected = settings.angle != AngleConvention::oc;
  coder.edge_swap = settings.angle == AngleConvention::le90;
  if (settings.angle == AngleConvention::le135) coder.angle_factor = 1.0F;
  return coder;
}

std::unique_ptr<Heads> make_heads(LayerSource& source, std::span<const io::NamedArray> tensors) {
  const std::int64_t classes = classes_of(tensors);
  RpnHead rpn = rpn_head(source, 4);
  RegionHead first = region_head(source, kFirst, classes, 5);
  return std::make_unique<RoiTransformerHeads>(std::move(rpn), std::move(first),
                                               region_head(source, kSecond, classes, 5 * classes));
}

bool recognises(std::span<const io::NamedArray> tensors) {
  return shape_of(tensors, "roi_head.bbox_head.1.fc_reg.weight") != nullptr;
}

}  // namespace

std::vector<Candidate> RoiTransformerHeads::classify(const Pyramid& levels,
                                                     const std::vector<Proposal>& proposals,
                                                     const Passage& passage) const {
  const Settings& settings = passage.settings;
  const RegionOutput first = show_stage(horizontal_regions(levels, proposals), first_, 0, passage);
  std::vector<Box> rois;
  for (std::size_t i = 0; i < proposals.size(); ++i) {
    rois.push_back(decode_rotated_of(proposals[i].around,
                                     first.boxes.const_data_ptr<float>() + 5 * i,
                                     first_coder(settings), settings.angle));
  }
  if (passage.observe) passage.observe("roi1.rois", with_batch_index(rois));
  return refine(levels, rois, first.classes, passage);
}

std::vector<Candidate> RoiTransformerHeads::refine(const Pyramid& levels,
                                                   const std::vector<Box>& rois,
                                                   const at::Tensor& first_logits,
                                                   const Passage& passage) const {
  const Settings& settings = passage.settings;
  const RegionOutput second = show_stage(rotated_regions(levels, rois), second_, 1, passage);
  // The logits of both stages are averaged, not their probabilities.
  const at::Tensor logits = (first_logits + second.classes) / 2;
  const std::int64_t width = second.boxes.size(1);
  const PictureSize size = passage.picture_size();
  const DeltaCoder coder = second_coder(settings);
  return region_candidates(logits, passage, [&](std::int64_t region, std::int64_t label) {
    return decode_rotated(rois[static_cast<std::size_t>(region)],
                          second.boxes.const_data_ptr<float>() + width * region + 5 * label, coder,
                          settings.angle, &size);
  });
}

const Blueprint& blueprint() {
  static const Blueprint kBlueprint{ExtraLevels::pooled, recognises, classes_of, make_heads};
  return kBlueprint;
}

}  // namespace grasppanda::models::mmrotate::roi_transformer
