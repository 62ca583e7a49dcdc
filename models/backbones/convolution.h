// A 2-D convolution as inference wants it: batch norm folded in, weights in the form that the
// fastest kernel of the device takes, the activation applied in the same pass.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

namespace grasppanda::models {

enum class Activation : std::uint8_t { none, silu, relu };

struct ConvolutionShape {
  std::int64_t stride = 1, padding = 0, groups = 1;
};

/// Weight and bias of a convolution, float32, as checkpoints hold them.
struct ConvolutionWeights {
  at::Tensor weight;  // (out, in / groups, k, k)
  at::Tensor bias;    // (out), or undefined: none
};

/// What stands in a checkpoint for a batch norm that follows.
struct ChannelNorm {
  at::Tensor weight, bias, mean, var;  // (channels) each
  double eps;
};
/// w' = w g / sqrt(var + eps), b' = (b - mean) g / sqrt(var + eps) + beta; computed in double.
ConvolutionWeights fold(const ConvolutionWeights& convolution, const ChannelNorm& norm);

class Convolution {
 public:
  Convolution() = default;
  /// On a CPU with oneDNN the weights are packed here, once.
  Convolution(const ConvolutionWeights& weights, const ConvolutionShape& shape,
              Activation activation, const at::Device& device);

  /// (B, in, H, W) float32 -> (B, out, H', W'), both channels-last.
  at::Tensor operator()(const at::Tensor& input) const;

 private:
  at::Tensor weight_, bias_;
  ConvolutionShape shape_;
  Activation activation_ = Activation::none;
  bool packed_ = false;
};

}  // namespace grasppanda::models
