// The building blocks of YOLO-OBB: (B, C, H, W) float32, channels-last, in and out.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "models/backbones/convolution.h"
#include "models/weights.h"
#include "models/yolo_obb/checkpoint_names.h"

namespace grasppanda::models::yolo_obb {

/// Takes blocks out of a checkpoint by name.
class Loader {
 public:
  Loader(const Weights& weights, const StoredSettings& settings, const at::Device& device)
      : weights_(weights), settings_(settings), device_(device) {}

  /// A convolution with its batch norm (or fused) and the activation that the file's graph has, or
  /// `usual` where there is no graph.
  Convolution conv(const std::string& name, std::int64_t stride = 1, std::int64_t groups = 1,
                   Activation usual = Activation::silu) const;
  /// A plain 1x1 convolution with a bias.
  Convolution plain(const std::string& name) const;
  Convolution depthwise(const std::string& name, Activation usual = Activation::silu) const;

 private:
  ConvolutionWeights folded(const std::string& name) const;

  const Weights& weights_;
  const StoredSettings& settings_;
  const at::Device device_;
};

class BlockRunner {
 public:
  virtual ~BlockRunner() = default;
  virtual at::Tensor run(const at::Tensor& x) const = 0;
};
using BlockPointer = std::unique_ptr<BlockRunner>;

/// Any block that takes one input: conv, C2f, C3k2, SPPF, C2PSA, upsampling.
BlockPointer load_block(const Loader& load, const std::string& name, const Layer& layer);

}  // namespace grasppanda::models::yolo_obb
