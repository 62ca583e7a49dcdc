#include "models/backbones/region_head.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <iterator>

#include "models/backbones/fpn.h"
#include "models/backbones/prior_rows.h"

namespace grasppanda::models {

namespace {

constexpr std::int64_t kRegionFeatures = kPyramidChannels * 7 * 7;
constexpr std::int64_t kHidden = 1024;

}  // namespace

RpnHead::RpnHead(LayerSource& source, const RpnHeadNames& names, std::int64_t anchors,
                 std::int64_t deltas)
    : convolution_(source.convolution(
          names.convolution, {.in = kPyramidChannels, .out = kPyramidChannels, .kernel = 3},
          Activation::relu)),
      classes_(source.convolution(names.classes, {.in = kPyramidChannels, .out = anchors},
                                  Activation::none)),
      boxes_(source.convolution(names.boxes, {.in = kPyramidChannels, .out = anchors * deltas},
                                Activation::none)) {}

RpnOutput RpnHead::operator()(const at::Tensor& level) const {
  const at::Tensor feature = convolution_(level);
  return {classes_(feature), boxes_(feature)};
}

ProposalLevel proposal_level(const RpnOutput& output) {
  const at::Tensor logits = by_prior(output.classes, 1);
  ProposalLevel level{{}, by_prior(output.boxes, output.boxes.size(1) / output.classes.size(1))};
  const auto* from = logits.const_data_ptr<float>();
  std::transform(from, from + logits.numel(), std::back_inserter(level.scores), sigmoid);
  return level;
}

RegionHead::RegionHead(LayerSource& source, const RegionHeadNames& names, std::int64_t classes,
                       std::int64_t deltas)
    : first_(source.linear(names.first, kRegionFeatures, kHidden)),
      second_(source.linear(names.second, kHidden, kHidden)),
      classes_(source.linear(names.classes, kHidden, classes)),
      boxes_(source.linear(names.boxes, kHidden, deltas)) {}

RegionOutput RegionHead::operator()(const at::Tensor& features) const {
  const at::Tensor hidden = second_(first_(features.flatten(1)).relu_()).relu_();
  return {classes_(hidden), boxes_(hidden)};
}

}  // namespace grasppanda::models
