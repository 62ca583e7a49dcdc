// The learned parts of PointNet++ (Qi et al., 2017): what happens to a group of neighbours, and how
// features travel back to a denser level. Which points are sampled and grouped is the caller's
// choice (lib/ops/point). Matrices have one row a point, so every product is a plain GEMM.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace grasppanda::models {

/// y = x * weight + bias, for x with one row a point.
struct PointwiseLayer {
  at::Tensor weight;  // (in, out) float32, contiguous
  at::Tensor bias;    // (out,)
};
PointwiseLayer to_device(PointwiseLayer layer, const at::Device& device);

/// Batch norm in evaluation mode, as y = x * scale + shift; computed in float64.
struct AffineChannels {
  at::Tensor scale, shift;  // (C,) float64
};
AffineChannels fold_batch_norm(const at::Tensor& weight, const at::Tensor& bias,
                               const at::Tensor& running_mean, const at::Tensor& running_var,
                               double eps = 1e-5);

/// Layers with a ReLU between them, each optionally followed by an affine map: the form in which
/// both orders of batch norm and ReLU are given to the makers below.
///   after_relu   Linear -> ReLU -> batch norm   (Contact-GraspNet)
///   before_relu  Linear -> batch norm -> ReLU   (PointNet++ as published)
enum class NormPlace { before_relu, after_relu };
struct NormedLayer {
  at::Tensor weight;  // (out, in), as checkpoints hold it
  at::Tensor bias;    // (out,), or undefined
  AffineChannels norm;
};

/// An MLP over rows; `layers` hold every batch norm but a last one that follows its ReLU.
struct RowMlp {
  std::vector<PointwiseLayer> layers;
  at::Tensor scale, shift;  // (out,) after the last ReLU, or undefined
};
RowMlp make_row_mlp(const std::vector<NormedLayer>& layers, NormPlace place);
RowMlp to_device(RowMlp mlp, const at::Device& device);
/// (R, in) -> (R, out); ReLU after every layer.
at::Tensor apply(const RowMlp& mlp, const at::Tensor& rows);

/// An MLP over the messages [feature of the neighbour, offset to it], then the maximum over each
/// group. The first layer is kept apart for features and offsets, so that the product with the
/// features is made once a point, not once a neighbour. The last layer's activation and norm are
/// monotone in every channel, so they are applied after the maximum; channels whose scale is
/// negative are stored negated, which turns their maximum into the minimum that is needed.
struct GroupedMlp {
  at::Tensor feature_weight;           // (C, h), or undefined: offsets only
  PointwiseLayer offset;               // (3, h)
  std::vector<PointwiseLayer> hidden;  // between the first and the last layer
  at::Tensor last_weight;              // (h', out), negated where sign is -1
  at::Tensor last_sign;                // (out,) +1 or -1
  at::Tensor last_bias, scale, shift;  // (out,)
};
/// `features`: channels of a neighbour's feature in the first layer's input, 0 for none; they stand
/// before the 3 offsets (`offsets_first`: behind them).
GroupedMlp make_grouped_mlp(const std::vector<NormedLayer>& layers, NormPlace place,
                            std::int64_t features, bool offsets_first);
GroupedMlp to_device(GroupedMlp mlp, const at::Device& device);

/// features (N, C) of the support or undefined, support (N, 3), centres (M, 3), index (M, K) int64
/// into the support -> (M, out). Offsets are support - centre, in metres.
/// Cost O(M*K) rows through the MLP; scratch for a block of groups only. On the CPU the blocks are
/// fixed and each is worked by one thread, so the result does not depend on the number of threads.
at::Tensor grouped_maximum(const GroupedMlp& mlp, const at::Tensor& features,
                           const at::Tensor& support, const at::Tensor& centres,
                           const at::Tensor& index);

/// Weighted sum of three rows: features (N, C), index (M, 3), weight (M, 3) -> (M, C).
at::Tensor interpolate_rows(const at::Tensor& features, const at::Tensor& index,
                            const at::Tensor& weight);

}  // namespace grasppanda::models
