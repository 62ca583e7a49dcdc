// The network of Contact-GraspNet: points in, the raw output of four heads per contact point out.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "models/backbones/pointnet2.h"
#include "models/model.h"
#include "models/weights.h"

namespace grasppanda::models::contact_graspnet {

/// What the heads say about each of the M centres of the first level; raw, no activation.
struct Heads {
  at::Tensor confidence;  // (M, 1) logit
  at::Tensor baseline;    // (M, 3)
  at::Tensor approach;    // (M, 3)
  at::Tensor width;       // (M, 1)
};

/// Neighbours of the centres of a level, for each of its three radii, in the order of kLevels.
struct LevelNeighbours {
  std::array<at::Tensor, 3> index;  // (M, 64) int64, unused slots repeat the first neighbour
  std::array<at::Tensor, 3> count;  // (M,) int64, at most 64
};

struct NetworkOutput {
  at::Tensor centre_index;  // (2048,) int64, rows of the input points
  at::Tensor centres;       // (2048, 3)
  Heads heads;
};

/// Each stage is a call of its own, so that a test can give it the inputs it wants.
class Network {
 public:
  Network(const Weights& weights, const at::Device& device);

  /// points (N, 3) float32, N >= 1, on the network's device: z up, mean-centred, in random order.
  /// `starts`: the first pick of furthest point sampling on each level (see sample()).
  NetworkOutput forward(const at::Tensor& points, const std::array<std::int64_t, 3>& starts = {},
                        const StageObserver& observe = {}) const;

  /// Furthest point picks of a level, (centres of the level,) int64, beginning with `start`.
  static at::Tensor sample(int level, const at::Tensor& points, std::int64_t start = 0);

  static LevelNeighbours neighbours(int level, const at::Tensor& centres,
                                    const at::Tensor& support);

  /// features (N, C) of the support (undefined at level 0) -> (M, C') of the centres.
  ///
  /// Every centre i with a source i also receives the message of that source, wherever it lies:
  /// the published network was trained with graph self loops in this two-sided graph, and its
  /// weights depend on them.
  at::Tensor set_abstraction(int level, const at::Tensor& features, const at::Tensor& support,
                             const at::Tensor& centres, const LevelNeighbours& neighbours) const;

  /// features (N, C) of the sources interpolated to M targets by index and squared distance
  /// (M, 3), joined with the targets' own `skip` features -> (M, C').
  at::Tensor propagate(int step, const at::Tensor& features, const at::Tensor& index,
                       const at::Tensor& squared, const at::Tensor& skip) const;

  Heads heads(const at::Tensor& centres, const at::Tensor& features) const;

 private:
  struct Head {
    at::Tensor hidden_weight, hidden_bias, output_weight, output_bias;  // weights (in, out)
  };
  static Head load_head(const Weights& weights, int head, const at::Device& device);

  std::array<std::array<GroupedMlp, 3>, 3> levels_;
  std::array<std::vector<PointwiseLayer>, 3> steps_;
  std::array<Head, 4> heads_;
};

}  // namespace grasppanda::models::contact_graspnet
