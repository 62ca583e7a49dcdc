#include "models/graspnet_baseline/encoder.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <string>
#include <utility>

#include "lib/ops/point/ball_query.h"
#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/point/inverse_distance_weights.h"
#include "models/graspnet_baseline/architecture.h"
#include "models/graspnet_baseline/checkpoint_names.h"
#include "models/graspnet_baseline/layers.h"

namespace grasppanda::models::graspnet_baseline {

namespace {

// Every how many rows features are dumped.
constexpr std::int64_t kRows = 16;

at::Tensor some_rows(const at::Tensor& features) {
  return features.slice(0, 0, features.size(0), kRows);
}

void observe_level(const StageObserver& observe, int level, const at::Tensor& index,
                   const ops::Neighbourhood& found, const at::Tensor& features) {
  if (!observe) return;
  const std::string name = "sa" + std::to_string(level + 1);
  observe(name + "_inds", index.to(at::kInt));
  observe(name + "_ball_idx", found.index.to(at::kInt));
  observe(name + "_ball_cnt", found.count.to(at::kInt));
  observe(name + "_rows", some_rows(features));
}

void observe_step(const StageObserver& observe, int step, const ops::NearestNeighbours& near,
                  const at::Tensor& features) {
  if (!observe) return;
  const std::string name = "fp" + std::to_string(step + 1);
  observe(name + "_nn_idx", near.index.to(at::kInt));
  observe(name + "_nn_dist2", near.squared);
  observe(name + "_rows", some_rows(features));
}

}  // namespace

Encoder::Encoder(const Weights& weights, const at::Device& device) {
  const at::NoGradGuard no_grad;
  for (int level = 0; level < 4; ++level) {
    std::vector<PointwiseLayer> layers;
    for (int layer = 0; layer < 3; ++layer)
      layers.push_back(shared_layer(weights, level_layer(level, layer)));
    GroupedMlp mlp = grouped_mlp(std::move(layers), kLevels[level].in_channels,
                                 /*offsets_first=*/true);
    // The network sees offsets in radii: the division is part of the weights.
    PointwiseLayer& first = mlp.layers.front();
    first.weight = (first.weight.to(at::kDouble) / kLevels[level].radius).to(at::kFloat);
    levels_[level] = to_device(std::move(mlp), device);
  }
  for (int step = 0; step < 2; ++step)
    for (int layer = 0; layer < 2; ++layer)
      steps_[step].push_back(to_device(shared_layer(weights, step_layer(step, layer)), device));
}

at::Tensor Encoder::sample(int level, const at::Tensor& points) {
  return ops::furthest_point_sample(points.unsqueeze(0), kLevels[level].centres,
                                    /*skip_near_origin=*/true, ops::TieBreak::pointnet2_cuda)
      .squeeze(0);
}

ops::Neighbourhood Encoder::neighbours(int level, const at::Tensor& centres,
                                       const at::Tensor& support) {
  const ops::Neighbourhood ball = ops::ball_query(centres.unsqueeze(0), support.unsqueeze(0),
                                                  kLevels[level].radius, kLevels[level].neighbours);
  return {ball.index.squeeze(0), ball.count.squeeze(0)};
}

ops::NearestNeighbours Encoder::nearest(const at::Tensor& targets, const at::Tensor& sources) {
  const ops::NearestNeighbours near = ops::knn(targets.unsqueeze(0), sources.unsqueeze(0), 3);
  return {near.distance.squeeze(0), near.squared.squeeze(0), near.index.squeeze(0)};
}

at::Tensor Encoder::set_abstraction(int level, const at::Tensor& features,
                                    const at::Tensor& support, const at::Tensor& centres,
                                    const ops::Neighbourhood& groups) const {
  const at::NoGradGuard no_grad;
  return grouped_maximum(levels_[level], features, support, centres, groups.index, groups.count);
}

at::Tensor Encoder::propagate(int step, const at::Tensor& features,
                              const ops::NearestNeighbours& near, const at::Tensor& own) const {
  const at::NoGradGuard no_grad;
  const at::Tensor weight = ops::inverse_distance_weights(near.distance.unsqueeze(0)).squeeze(0);
  return apply_layers(steps_[step],
                      at::cat({interpolate_rows(features, near.index, weight), own}, 1));
}

Seeds Encoder::forward(const at::Tensor& points, const StageObserver& observe) const {
  const at::NoGradGuard no_grad;
  std::array<at::Tensor, 5> xyz = {points}, features;  // of the input and of each level
  std::array<at::Tensor, 4> picked;
  for (int level = 0; level < 4; ++level) {
    const at::Tensor index = picked[level] = sample(level, xyz[level]);
    xyz[level + 1] = xyz[level].index_select(0, index);
    const ops::Neighbourhood found = neighbours(level, xyz[level + 1], xyz[level]);
    features[level + 1] =
        set_abstraction(level, features[level], xyz[level], xyz[level + 1], found);
    observe_level(observe, level, index, found, features[level + 1]);
  }
  at::Tensor source = features[4];
  for (int step = 0; step < 2; ++step) {
    const int from = 4 - step, to = 3 - step;
    const ops::NearestNeighbours near = nearest(xyz[to], xyz[from]);
    source = propagate(step, source, near, features[to]);
    observe_step(observe, step, near, source);
  }
  if (observe) {
    observe("fp2_features", source.t());
    observe("seed_xyz", xyz[2]);
  }
  return {picked[0].index_select(0, picked[1]), xyz[2], source};
}

}  // namespace grasppanda::models::graspnet_baseline
