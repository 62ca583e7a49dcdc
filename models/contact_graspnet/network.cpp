#include "models/contact_graspnet/network.h"

#include <ATen/ATen.h>
#include <ATen/core/grad_mode.h>

#include <algorithm>
#include <string>
#include <utility>

#include "lib/ops/point/ball_query.h"
#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/point/inverse_distance_weights.h"
#include "lib/ops/point/knn.h"
#include "models/contact_graspnet/architecture.h"
#include "models/contact_graspnet/checkpoint_names.h"

namespace grasppanda::models::contact_graspnet {

namespace {

/// A Linear (or 1x1 convolution) and its batch norm, as checkpoints hold them.
struct StoredLayer {
  at::Tensor weight, bias;
  BatchNorm norm;
};

StoredLayer stored_layer(const Weights& weights, const LayerNames& names) {
  at::Tensor weight = weights(names.linear + ".weight");
  if (weight.dim() == 3) weight = weight.squeeze(2);
  return {weight, weights(names.linear + ".bias"),
          batch_norm(weights(names.norm + ".weight"), weights(names.norm + ".bias"),
                     weights(names.norm + ".running_mean"), weights(names.norm + ".running_var"))};
}

PointwiseLayer relu_then_norm(const Weights& weights, const LayerNames& names) {
  const StoredLayer stored = stored_layer(weights, names);
  return models::relu_then_norm(stored.weight, stored.bias, stored.norm);
}

/// The list of neighbours with a further slot before it: source i for centre i; centres beyond the
/// last source repeat their first neighbour, which a maximum does not notice.
at::Tensor with_extra_edge(const at::Tensor& index, std::int64_t sources) {
  const std::int64_t centres = index.size(0), own = std::min(sources, centres);
  at::Tensor extra = index.narrow(1, 0, 1).clone();
  extra.narrow(0, 0, own).copy_(at::arange(own, index.options()).unsqueeze(1));
  return at::cat({extra, index}, 1);
}

/// Every `step`-th row, the form in which features are dumped.
at::Tensor rows(const at::Tensor& features, std::int64_t step) {
  return features.slice(0, 0, features.size(0), step);
}

void observe_neighbours(const StageObserver& observe, const std::string& level,
                        const LevelNeighbours& found) {
  for (std::size_t scale = 0; scale < 3; ++scale) {
    const std::string name = level + "_" + std::to_string(scale + 1);
    const at::Tensor slot = at::arange(kNeighbours, found.index[scale].options());
    const at::Tensor unused = slot.unsqueeze(0) >= found.count[scale].unsqueeze(1);
    observe(name + "_nbr", found.index[scale].masked_fill(unused, -1).to(at::kInt));
    observe(name + "_count", found.count[scale].to(at::kInt));
  }
}

constexpr std::array<std::int64_t, 3> kLevelRows = {8, 4, 1};
constexpr std::array<std::int64_t, 3> kStepRows = {1, 2, 8};

}  // namespace

Network::Head Network::load_head(const Weights& weights, int head, const at::Device& device) {
  // No ReLU in a head, so its batch norm is part of the first Linear.
  const StoredLayer first = stored_layer(weights, head_layer(head));
  const at::Tensor weight = first.weight.to(at::kDouble) * first.norm.scale.unsqueeze(1);
  const at::Tensor bias = first.bias.to(at::kDouble) * first.norm.scale + first.norm.shift;
  const std::string output = head_output(head);
  const auto place = [&device](const at::Tensor& value) {
    return value.to(device, at::kFloat).contiguous();
  };
  return {place(weight.t()), place(bias), place(weights(output + ".weight").squeeze(2).t()),
          place(weights(output + ".bias"))};
}

Network::Network(const Weights& weights, const at::Device& device) {
  const at::NoGradGuard no_grad;
  for (int level = 0; level < 3; ++level) {
    for (int scale = 0; scale < 3; ++scale) {
      std::vector<PointwiseLayer> layers;
      for (int layer = 0; layer < 3; ++layer) {
        layers.push_back(relu_then_norm(weights, level_layer(level, scale, layer)));
      }
      levels_[level][scale] = to_device(
          grouped_mlp(std::move(layers), kLevels[level].in_channels, /*offsets_first=*/false),
          device);
    }
  }
  for (int step = 0; step < 3; ++step) {
    for (int layer = 0; layer < 3 && kSteps[step].widths[layer] != 0; ++layer) {
      steps_[step].push_back(to_device(relu_then_norm(weights, step_layer(step, layer)), device));
    }
  }
  for (int head = 0; head < 4; ++head) {
    heads_[head] = load_head(weights, head, device);
  }
}

at::Tensor Network::sample(int level, const at::Tensor& points, std::int64_t start) {
  const std::int64_t n = points.size(0), count = kLevels[level].centres;
  if (start == 0) return ops::furthest_point_sample(points.unsqueeze(0), count).squeeze(0);
  // The operator starts at row 0: put the start there, the rest behind it in order.
  const at::Tensor all = at::arange(n, points.options().dtype(at::kLong));
  const at::Tensor order = at::cat(
      {all.narrow(0, start, 1), all.narrow(0, 0, start), all.narrow(0, start + 1, n - start - 1)});
  const at::Tensor picked =
      ops::furthest_point_sample(points.index_select(0, order).unsqueeze(0), count).squeeze(0);
  return order.index_select(0, picked);
}

LevelNeighbours Network::neighbours(int level, const at::Tensor& centres,
                                    const at::Tensor& support) {
  LevelNeighbours found;
  for (std::size_t scale = 0; scale < 3; ++scale) {
    const ops::Neighbourhood ball = ops::ball_query(centres.unsqueeze(0), support.unsqueeze(0),
                                                    kLevels[level].radius[scale], kNeighbours);
    found.index[scale] = ball.index.squeeze(0);
    found.count[scale] = ball.count.squeeze(0);
  }
  return found;
}

at::Tensor Network::set_abstraction(int level, const at::Tensor& features,
                                    const at::Tensor& support, const at::Tensor& centres,
                                    const LevelNeighbours& neighbours) const {
  const at::NoGradGuard no_grad;
  std::vector<at::Tensor> scales;
  for (std::size_t scale = 0; scale < 3; ++scale) {
    scales.push_back(grouped_maximum(levels_[level][scale], features, support, centres,
                                     with_extra_edge(neighbours.index[scale], support.size(0)),
                                     neighbours.count[scale] + 1));
  }
  return at::cat(scales, 1);
}

at::Tensor Network::propagate(int step, const at::Tensor& features, const at::Tensor& index,
                              const at::Tensor& squared, const at::Tensor& skip) const {
  const at::NoGradGuard no_grad;
  const at::Tensor weight = ops::inverse_squared_distance_weights(squared.unsqueeze(0)).squeeze(0);
  return apply_layers(steps_[step], at::cat({interpolate_rows(features, index, weight), skip}, 1));
}

Heads Network::heads(const at::Tensor& centres, const at::Tensor& features) const {
  const at::NoGradGuard no_grad;
  const at::Tensor input = at::cat({centres, features}, 1);
  const auto run = [&input](const Head& head) {
    const at::Tensor hidden = at::addmm(head.hidden_bias, input, head.hidden_weight);
    return at::addmm(head.output_bias, hidden, head.output_weight);
  };
  return {run(heads_[0]), run(heads_[1]), run(heads_[2]), run(heads_[3])};
}

NetworkOutput Network::forward(const at::Tensor& points, const std::array<std::int64_t, 3>& starts,
                               const StageObserver& observe) const {
  const at::NoGradGuard no_grad;
  std::array<at::Tensor, 4> xyz = {points};  // of the input and of each level
  std::array<at::Tensor, 4> features;
  NetworkOutput output;
  for (int level = 0; level < 3; ++level) {
    const at::Tensor index = sample(level, xyz[level], starts[level]);
    xyz[level + 1] = xyz[level].index_select(0, index);
    const LevelNeighbours found = neighbours(level, xyz[level + 1], xyz[level]);
    features[level + 1] =
        set_abstraction(level, features[level], xyz[level], xyz[level + 1], found);
    if (level == 0) output.centre_index = index;
    if (observe) {
      const std::string name = "sa" + std::to_string(level + 1);
      observe(name + "_idx", index.to(at::kInt));
      observe_neighbours(observe, name, found);
      observe(name + "_rows", rows(features[level + 1], kLevelRows[level]));
    }
  }
  at::Tensor source_xyz = xyz[3], source = features[3];
  for (int step = 0; step < 3; ++step) {
    const int target = step == 0 ? 3 : 3 - step;  // the first step stays on the third level
    const ops::NearestNeighbours near =
        ops::knn(xyz[target].unsqueeze(0), source_xyz.unsqueeze(0), 3);
    const at::Tensor index = near.index.squeeze(0), squared = near.squared.squeeze(0);
    source = propagate(step, source, index, squared, features[target]);
    source_xyz = xyz[target];
    if (observe) {
      const std::string name = "fp" + std::to_string(step + 1);
      observe(name + "_nn", index.to(at::kInt));
      observe(name + "_d2", squared);
      observe(name + "_rows", rows(source, kStepRows[step]));
    }
  }
  output.centres = xyz[1];
  output.heads = heads(output.centres, source);
  if (observe) {
    observe("head_conf", output.heads.confidence);
    observe("head_z1", output.heads.baseline);
    observe("head_z2", output.heads.approach);
    observe("head_w", output.heads.width);
  }
  return output;
}

}  // namespace grasppanda::models::contact_graspnet
