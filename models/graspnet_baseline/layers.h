// Layers of GraspNet-baseline from its checkpoints; every norm is folded into its convolution.
#pragma once

#include <vector>

#include "models/backbones/pointnet2.h"
#include "models/graspnet_baseline/checkpoint_names.h"
#include "models/weights.h"

namespace grasppanda::models::graspnet_baseline {

/// A layer of a shared MLP: convolution without bias, norm, ReLU.
PointwiseLayer shared_layer(const Weights& weights, const LayerNames& names);

/// A head of three convolutions with bias; norm and ReLU behind the first two.
struct Head {
  std::vector<PointwiseLayer> hidden;
  at::Tensor weight, bias;  // (in, out), (out,)

  /// (R, in) -> (R, out), raw.
  at::Tensor operator()(const at::Tensor& rows) const;
};
Head stored_head(const Weights& weights, LayerNames (*layer)(int), const at::Device& device);

}  // namespace grasppanda::models::graspnet_baseline
