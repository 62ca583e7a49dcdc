#include "models/backbones/dense_head.h"

#include <ATen/ATen.h>

#include "models/backbones/fpn.h"

namespace grasppanda::models {

namespace {

constexpr int kTowerLayers = 4;
constexpr std::int64_t kGroups = 32;
constexpr double kGroupEps = 1e-5;
constexpr LayerShape kTowerLayer{.in = kPyramidChannels, .out = kPyramidChannels, .kernel = 3};

Convolution last_layer(LayerSource& source, const std::string& name, std::int64_t out) {
  return source.convolution(name, {.in = kPyramidChannels, .out = out, .kernel = 3},
                            Activation::none);
}

}  // namespace

Tower::Tower(LayerSource& source, const std::string& name, const TowerNames& names) {
  const bool normed = !names.norm.empty();
  for (int i = 0; i < kTowerLayers; ++i) {
    const std::string layer = name + std::to_string(i);
    layers_.push_back(source.convolution(layer + names.convolution, kTowerLayer,
                                         normed ? Activation::none : Activation::relu, !normed));
    if (!normed) continue;
    const std::string norm = layer + names.norm;
    norms_.push_back({source.tensor(norm + ".weight", {kPyramidChannels}),
                      source.tensor(norm + ".bias", {kPyramidChannels})});
  }
}

at::Tensor Tower::operator()(at::Tensor x) const {
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    x = layers_[i](x);
    if (norms_.empty()) continue;
    x = at::group_norm(x, kGroups, norms_[i].weight, norms_[i].bias, kGroupEps).relu_();
  }
  return x;
}

RetinaHead::RetinaHead(LayerSource& source, const RetinaHeadNames& names, std::int64_t anchors,
                       std::int64_t classes)
    : class_tower_(source, names.towers.classes, names.towers),
      box_tower_(source, names.towers.boxes, names.towers),
      classes_(last_layer(source, names.classes, anchors * classes)),
      boxes_(last_layer(source, names.boxes, anchors * 5)) {}

RetinaOutput RetinaHead::operator()(const at::Tensor& level) const {
  return {classes_(class_tower_(level)), boxes_(box_tower_(level))};
}

FcosHead::FcosHead(LayerSource& source, const FcosHeadNames& names, std::int64_t classes)
    : class_tower_(source, names.towers.classes, names.towers),
      box_tower_(source, names.towers.boxes, names.towers),
      classes_(last_layer(source, names.classes, classes)),
      boxes_(last_layer(source, names.boxes, 4)),
      angle_(last_layer(source, names.angle, 1)),
      centerness_(last_layer(source, names.centerness, 1)) {
  for (std::size_t i = 0; i < scales_.size(); ++i) {
    scales_[i] = source.tensor(names.scales + std::to_string(i) + ".scale", {});
  }
  if (!names.angle_scale.empty()) angle_scale_ = source.tensor(names.angle_scale, {});
}

FcosOutput FcosHead::operator()(const at::Tensor& level, std::size_t index, double stride) const {
  const at::Tensor box_feature = box_tower_(level);
  FcosOutput output{classes_(class_tower_(level)), boxes_(box_feature), angle_(box_feature),
                    centerness_(box_feature)};
  output.boxes = output.boxes.mul_(scales_[index]).clamp_min_(0).mul_(stride);
  if (angle_scale_.defined()) output.angle = output.angle.mul_(angle_scale_);
  return output;
}

}  // namespace grasppanda::models
