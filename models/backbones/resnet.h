// ResNet with the stride in the 3x3 convolution, batch norm folded in.
// Source: He et al., Deep Residual Learning for Image Recognition, CVPR 2016.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/backbones/layer_source.h"

namespace grasppanda::models {

/// How a project calls the layers; the rest of the names is common to all.
struct ResNetNames {
  std::string prefix;          // "backbone.", "backbone.body."
  bool counted_norms = false;  // norms carry num_batches_tracked
};

/// Blocks of the four stages; two 3x3 convolutions a block, or 1x1, 3x3, 1x1.
struct ResNetShape {
  std::array<std::int64_t, 4> blocks = {3, 4, 6, 3};
  bool bottleneck = true;

  /// Of the four outputs.
  std::array<std::int64_t, 4> channels() const;
  /// "resnet50"; "resnet" for a shape without a name.
  std::string name() const;
};
/// The network that tensors make; ResNet-50 where there are none.
ResNetShape told_resnet(const ResNetNames& names, std::span<const io::NamedArray> tensors);

class ResNet {
 public:
  ResNet() = default;
  ResNet(LayerSource& source, const ResNetNames& names, const ResNetShape& shape);

  /// (B, 3, H, W) float32 channels-last -> C2..C5, strides 4, 8, 16, 32.
  std::array<at::Tensor, 4> forward(const at::Tensor& input) const;

 private:
  struct Block {
    std::vector<Convolution> path;  // the last one without activation
    std::optional<Convolution> shortcut;
  };
  Convolution stem_;
  std::array<std::vector<Block>, 4> stages_;
};

}  // namespace grasppanda::models
