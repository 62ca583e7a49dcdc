#include "models/graspnet_baseline/network.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <utility>
#include <vector>

#include "lib/ops/grasp/grasp_views.h"
#include "models/graspnet_baseline/architecture.h"
#include "models/graspnet_baseline/checkpoint_names.h"

namespace grasppanda::models::graspnet_baseline {

namespace {

constexpr std::int64_t kRows = 16;  // every how many seeds inner rows are dumped

GroupedMlp stored_crop(const Weights& weights, const at::Device& device) {
  std::vector<PointwiseLayer> layers;
  for (int layer = 0; layer < 3; ++layer)
    layers.push_back(shared_layer(weights, crop_layer(layer)));
  return to_device(grouped_mlp(std::move(layers), 0, /*offsets_first=*/true), device);
}

void observe_views(const StageObserver& observe, const ViewScores& scores,
                   const at::Tensor& templates, const ChosenViews& chosen) {
  if (!observe) return;
  observe("objectness", scores.objectness.t());
  observe("view_score", scores.view);
  observe("view_rows", scores.view.slice(0, 0, scores.view.size(0), kRows));
  observe("template_views", templates);
  observe("view_inds", chosen.index.to(at::kInt));
  observe("view_rot", chosen.rotation.view({-1, 9}));
}

void observe_grasps(const StageObserver& observe, const ops::Neighbourhood& groups,
                    const CropFeatures& features, const GraspScores& scores) {
  if (!observe) return;
  observe("cyl_idx", groups.index.to(at::kInt));
  observe("cyl_cnt", groups.count.to(at::kInt));
  const at::Tensor of_seeds = features.all().view({-1, kDepths, kCropWidths[2]});
  observe("vp_rows", of_seeds.slice(0, 0, of_seeds.size(0), kRows));
  const auto by_angle = [](const at::Tensor& rows) {
    return rows.view({-1, kDepths, kAngles}).permute({2, 0, 1});
  };
  observe("head_score", by_angle(scores.score));
  observe("head_angle", by_angle(scores.angle));
  observe("head_width", by_angle(scores.width));
  observe("head_tolerance", by_angle(scores.tolerance));
}

/// The first of the largest per row; LibTorch's argmax promises no order among equals.
at::Tensor first_largest(const at::Tensor& rows) {
  return std::get<1>(at::sort(rows, /*stable=*/true, /*dim=*/1, /*descending=*/true)).select(1, 0);
}

}  // namespace

Network::Network(const Weights& weights, const at::Device& device)
    : encoder_(weights, device),
      view_head_(stored_head(weights, view_layer, device)),
      crop_mlp_(stored_crop(weights, device)),
      operation_head_(stored_head(weights, operation_layer, device)),
      tolerance_head_(stored_head(weights, tolerance_layer, device)),
      template_views_(ops::template_views(kViews)) {}

ViewScores Network::view_scores(const at::Tensor& seed_features) const {
  const at::NoGradGuard no_grad;
  const at::Tensor rows = view_head_(seed_features);
  return {rows.narrow(1, 0, 2).contiguous(), rows.narrow(1, 2, kViews).contiguous()};
}

ChosenViews Network::choose_views(const at::Tensor& view_scores) const {
  const at::Tensor index = first_largest(view_scores);
  // A template points from the grasp back to where the gripper comes from.
  const at::Tensor approach = template_views_.to(view_scores.device()).index_select(0, index).neg();
  return {index, approach,
          ops::rotation_from_approach(approach, at::zeros({index.size(0)}, approach.options()))};
}

CropFeatures Network::crop(const at::Tensor& cloud, const at::Tensor& seeds,
                           const at::Tensor& rotation, const ops::Neighbourhood& groups) const {
  return crop_features(crop_mlp_, cloud, seeds, rotation, groups);
}

GraspScores Network::grasp_scores(const CropFeatures& features) const {
  const at::NoGradGuard no_grad;
  const at::Tensor operation = operation_head_(features.distinct).index_select(0, features.row);
  const auto part = [&](std::int64_t i) {
    return operation.narrow(1, i * kAngles, kAngles).contiguous();
  };
  return {part(0), part(1), part(2),
          tolerance_head_(features.distinct).index_select(0, features.row)};
}

NetworkOutput Network::forward(const at::Tensor& points, const StageObserver& observe) const {
  const at::NoGradGuard no_grad;
  NetworkOutput output;
  output.seeds = encoder_.forward(points, observe);
  output.views = view_scores(output.seeds.features);
  output.chosen = choose_views(output.views.view);
  observe_views(observe, output.views, template_views_, output.chosen);
  const ops::Neighbourhood groups = crop_groups(output.seeds.xyz, points, output.chosen.rotation);
  const CropFeatures features = crop(points, output.seeds.xyz, output.chosen.rotation, groups);
  output.grasps = grasp_scores(features);
  observe_grasps(observe, groups, features, output.grasps);
  return output;
}

}  // namespace grasppanda::models::graspnet_baseline
