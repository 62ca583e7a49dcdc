// The learned parts of PointNet++ (Qi et al., 2017): what happens to a group of neighbours, and how
// features travel back to a denser level. Which points are sampled and grouped is the caller's
// choice (lib/ops/point). Matrices have one row a point, so every product is a plain GEMM.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace grasppanda::models {

/// Batch norm in evaluation mode, as y = x * scale + shift; (C,) float64.
struct BatchNorm {
  at::Tensor scale, shift;
};
BatchNorm batch_norm(const at::Tensor& weight, const at::Tensor& bias,
                     const at::Tensor& running_mean, const at::Tensor& running_var,
                     double eps = 1e-5);

/// relu(x * weight + bias), then, where defined, * scale + shift; x has one row a point.
struct PointwiseLayer {
  at::Tensor weight;        // (in, out) float32, contiguous
  at::Tensor bias;          // (out,)
  at::Tensor scale, shift;  // (out,), or undefined
};

/// A layer from its stored (out, in) weight; `bias` may be undefined. The two networks differ in
/// the order: PointNet++ as published has the norm before the ReLU, where it is folded into weight
/// and bias; Contact-GraspNet has it behind. There it could be folded into the next layer, but that
/// costs a factor of five in agreement with the public project (measured) and gains no time.
PointwiseLayer norm_then_relu(const at::Tensor& weight, const at::Tensor& bias,
                              const BatchNorm& norm);
PointwiseLayer relu_then_norm(const at::Tensor& weight, const at::Tensor& bias,
                              const BatchNorm& norm);
PointwiseLayer to_device(PointwiseLayer layer, const at::Device& device);

/// (R, in) -> (R, out) through all layers.
at::Tensor apply_layers(const std::vector<PointwiseLayer>& layers, const at::Tensor& rows);

/// An MLP over the messages [feature of the neighbour, offset to it], then the maximum over each
/// group. The first layer's weight is kept apart for features and offsets, so that the product with
/// the features is made once a point, not once a neighbour. The last layer's bias, ReLU and norm
/// are monotone in every channel, so they are applied after the maximum; channels whose scale is
/// negative have their weights negated, which turns the maximum into the minimum they need.
struct GroupedMlp {
  at::Tensor feature_weight;           // (C, h), or undefined: offsets only
  std::vector<PointwiseLayer> layers;  // the first takes the 3 offsets
  at::Tensor last_sign;                // (out,) -1 where the last weight is negated, else 1
};
/// `features`: how many inputs of the first layer are features, 0 for none; they stand before the
/// 3 offsets (`offsets_first`: behind them). At least two layers.
GroupedMlp grouped_mlp(std::vector<PointwiseLayer> layers, std::int64_t features,
                       bool offsets_first);
GroupedMlp to_device(GroupedMlp mlp, const at::Device& device);

/// features (N, C) of the support or undefined, support (N, 3), centres (M, 3), index (M, K) int64
/// into the support, K >= 1, count (M,) int64: how many slots of a group hold neighbours of its
/// own, the others repeat one (undefined: all) -> (M, out). Offsets are support - centre, in metres.
/// On the CPU repeated neighbours are not computed. Cost: a row through the MLP for each; scratch for a block of groups only. On the CPU the blocks are
/// fixed and each is worked by one thread, so this part does not depend on the number of threads.
at::Tensor grouped_maximum(const GroupedMlp& mlp, const at::Tensor& features,
                           const at::Tensor& support, const at::Tensor& centres,
                           const at::Tensor& index, const at::Tensor& count = {});

/// Weighted sum of three rows: features (N, C), index (M, 3), weight (M, 3) -> (M, C).
at::Tensor interpolate_rows(const at::Tensor& features, const at::Tensor& index,
                            const at::Tensor& weight);

}  // namespace grasppanda::models
