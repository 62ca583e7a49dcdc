#include "models/gsnet/network.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/point/furthest_point_sample.h"
#include "models/gsnet/architecture.h"
#include "models/gsnet/checkpoint_names.h"

namespace grasppanda::models::gsnet {

namespace {

/// A 1x1 convolution with bias as stored, (out, in, 1) -> weight (in, out).
PointwiseLayer load_pointwise(const Weights& weights, const std::string& name,
                              const at::Device& device) {
  const at::Tensor weight = weights(name + ".weight");
  return to_device({weight.view({weight.size(0), weight.size(1)}).t().contiguous(),
                    weights(name + ".bias"),
                    {},
                    {}},
                   device);
}

PointwiseLayer load_crop_layer(const Weights& weights, const std::string& name) {
  const std::string norm = name + ".bn.bn";
  const at::Tensor weight = weights(name + ".conv.weight");
  return norm_then_relu(
      weight.view({weight.size(0), weight.size(1)}), {},
      batch_norm(weights(norm + ".weight"), weights(norm + ".bias"),
                 weights(norm + ".running_mean"), weights(norm + ".running_var")));
}

CropMlp load_crop(const Weights& weights, const at::Device& device) {
  return crop_mlp(to_device(load_crop_layer(weights, "crop.mlps.layer0"), device),
                  to_device(load_crop_layer(weights, "crop.mlps.layer1"), device));
}

at::Tensor linear(const PointwiseLayer& layer, const at::Tensor& rows) {
  return at::addmm(layer.bias, rows, layer.weight);
}

}  // namespace

Network::Network(const Weights& weights, const at::Device& device, BatchNormForm form)
    : device_(device),
      backbone_(weights, kBackbonePrefix, device, form),
      graspable_(load_pointwise(weights, "graspable.conv_graspable", device)),
      view_hidden_(load_pointwise(weights, "rotation.conv1", device)),
      view_score_(load_pointwise(weights, "rotation.conv2", device)),
      proposal_hidden_(load_pointwise(weights, "swad.conv1", device)),
      proposal_out_(load_pointwise(weights, "swad.conv_swad", device)),
      crop_(load_crop(weights, device)) {}

at::Tensor Network::voxel_features(const SparseLevels& levels, const LayerObserver& observe,
                                   SparseWorkspace* workspace) const {
  // Nothing is known of a voxel but that it is occupied.
  const at::Tensor ones = at::ones({levels.order.size(0), kUnetIn},
                                   at::TensorOptions().dtype(at::kFloat).device(device_));
  SparseWorkspace own;
  return backbone_.forward(levels, ones, workspace != nullptr ? *workspace : own, observe);
}

Graspable Network::graspable(const at::Tensor& features) const {
  const at::Tensor heads = linear(graspable_, features).t();
  return {heads.narrow(0, 0, 2).contiguous(), heads[2].contiguous()};
}

at::Tensor Network::graspable_index(const Graspable& points, float threshold) {
  return (points.objectness[1] > points.objectness[0])
      .logical_and_(points.graspness > threshold)
      .nonzero()
      .squeeze(1);
}

at::Tensor Network::sample(const at::Tensor& xyz, std::int64_t seeds) {
  return ops::furthest_point_sample(xyz.unsqueeze(0), seeds, /*skip_near_origin=*/true,
                                    ops::TieBreak::pointnet2_cuda)
      .squeeze(0);
}

Views Network::views(const at::Tensor& features) const {
  Views views;
  views.residual = linear(view_hidden_, features).relu_();
  views.score = linear(view_score_, views.residual);
  views.best = views.score.argmax(1);
  return views;
}

CylinderGroups Network::groups(const at::Tensor& xyz, const at::Tensor& rotation) {
  return cylinder_groups(xyz, rotation, kCylinderRadius, kCylinderMin, kCylinderMax,
                         kCylinderSamples);
}

at::Tensor Network::crop(const at::Tensor& features, const CylinderGroups& groups) const {
  return cylinder_crop(crop_, features, groups);
}

Proposals Network::proposals(const at::Tensor& group_features) const {
  const at::Tensor heads = linear(proposal_out_, linear(proposal_hidden_, group_features).relu_())
                               .view({group_features.size(0), 2, kAngles, kDepths});
  return {heads.select(1, 0).contiguous(), heads.select(1, 1).contiguous()};
}

}  // namespace grasppanda::models::gsnet
