#include "models/mmrotate/trunk.h"

namespace grasppanda::models::mmrotate {

namespace {

const ResNetNames kBackbone{.prefix = "backbone.", .counted_norms = true};
const FpnNames kNeck{.lateral = "neck.lateral_convs.",
                     .output = "neck.fpn_convs.",
                     .suffix = ".conv",
                     .extra = {"neck.fpn_convs.3.conv", "neck.fpn_convs.4.conv"}};

/// A key that only this detector has, in either line.
struct Unsupported {
  const char* key;
  const char* name;
};
constexpr Unsupported kUnsupported[] = {
    {"fam_head.retina_cls.weight", "S2ANet"},
    {"bbox_head_refine.0.or_conv.weight", "S2ANet"},
    {"refine_head.0.retina_cls.weight", "R3Det"},
    {"bbox_head_refine.0.feat_refine_module.conv_1_1.weight", "R3Det"},
    {"roi_head.bbox_head.fc_fix.weight", "Gliding Vertex"},
    {"bbox_head.rtm_cls.0.weight", "RTMDet-R"}};

}  // namespace

Trunk make_trunk(LayerSource& source, std::span<const io::NamedArray> tensors, ExtraLevels extra) {
  const ResNetShape shape = told_resnet(kBackbone, tensors);
  ResNet backbone(source, kBackbone, shape);
  return {std::move(backbone), Fpn(source, kNeck, shape.channels(), extra)};
}

std::string backbone_name(std::span<const io::NamedArray> tensors) {
  return told_resnet(kBackbone, tensors).name();
}

std::vector<ExpectedTensor> with_leftovers(const LayerSource& source,
                                           std::span<const io::NamedArray> tensors) {
  std::vector<ExpectedTensor> expected = source.wanted();
  for (const io::NamedArray& tensor : tensors) {
    const std::string_view key = bare_key(tensor.key);
    if (key.starts_with("ema_")) expected.push_back({std::string(key), tensor.array.shape, false});
  }
  return expected;
}

std::string_view unsupported_detector(std::span<const io::NamedArray> tensors) {
  for (const Unsupported& other : kUnsupported) {
    if (shape_of(tensors, other.key) != nullptr) return other.name;
  }
  return {};
}

}  // namespace grasppanda::models::mmrotate
