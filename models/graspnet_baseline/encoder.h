// The encoder of GraspNet-baseline: PointNet++ with four set abstractions and two propagations.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <vector>

#include "lib/ops/point/knn.h"
#include "lib/ops/point/neighbourhood.h"
#include "models/backbones/pointnet2.h"
#include "models/model.h"
#include "models/weights.h"

namespace grasppanda::models::graspnet_baseline {

struct Seeds {
  at::Tensor index;     // (1024,) int64: rows of the input points
  at::Tensor xyz;       // (1024, 3): the centres of the second level
  at::Tensor features;  // (1024, 256)
};

/// Each stage is a call of its own, so that a test can give it the inputs it wants. Features have
/// one row a point; levels count from 0.
class Encoder {
 public:
  Encoder(const Weights& weights, const at::Device& device);

  /// points (N, 3) float32, N >= 1, on the encoder's device.
  Seeds forward(const at::Tensor& points, const StageObserver& observe = {}) const;

  /// (centres of the level,) int64 into the points of the level below.
  static at::Tensor sample(int level, const at::Tensor& points);
  /// index (M, nsample), count (M,) of the centres in the points of the level below.
  static ops::Neighbourhood neighbours(int level, const at::Tensor& centres,
                                       const at::Tensor& support);
  /// The three nearest sources of every target; index, distance, squared: (M, 3).
  static ops::NearestNeighbours nearest(const at::Tensor& targets, const at::Tensor& sources);

  /// features (N, C) of the support (undefined on level 0) -> (M, C') of the centres, which have
  /// these neighbours.
  at::Tensor set_abstraction(int level, const at::Tensor& features, const at::Tensor& support,
                             const at::Tensor& centres, const ops::Neighbourhood& groups) const;
  /// features (N, 256) of the sources, interpolated to M targets and joined with their own
  /// features (M, 256) -> (M, 256).
  at::Tensor propagate(int step, const at::Tensor& features, const ops::NearestNeighbours& near,
                       const at::Tensor& own) const;

 private:
  std::array<GroupedMlp, 4> levels_;
  std::array<std::vector<PointwiseLayer>, 2> steps_;
};

}  // namespace grasppanda::models::graspnet_baseline
