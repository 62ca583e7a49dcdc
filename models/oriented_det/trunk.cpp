#include "models/oriented_det/trunk.h"

#include <utility>

namespace grasppanda::models::oriented_det {

namespace {

const ResNetNames kBackbone{.prefix = "backbone.body.", .counted_norms = false};
const FpnNames kNeck{.lateral = "backbone.fpn.inner_blocks.",
                     .output = "backbone.fpn.layer_blocks.",
                     .suffix = ".0",
                     .extra = {"backbone.fpn.extra_blocks.p6", "backbone.fpn.extra_blocks.p7"}};

}  // namespace

Trunk make_trunk(LayerSource& source, std::span<const io::NamedArray> tensors, ExtraLevels extra) {
  const ResNetShape shape = told_resnet(kBackbone, tensors);
  ResNet backbone(source, kBackbone, shape);
  return {std::move(backbone), Fpn(source, kNeck, shape.channels(), extra)};
}

std::string backbone_name(std::span<const io::NamedArray> tensors) {
  return told_resnet(kBackbone, tensors).name();
}

bool has_trunk(std::span<const io::NamedArray> tensors) {
  return shape_of(tensors, "backbone.body.conv1.weight") != nullptr &&
         shape_of(tensors, "backbone.fpn.inner_blocks.0.0.weight") != nullptr;
}

}  // namespace grasppanda::models::oriented_det
