// A U-Net over occupied voxels: five resolutions, one residual block at each on the way down and on
// the way up, skip connections between equal ones.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <functional>
#include <string>
#include <vector>

#include "lib/ops/sparse/kernel_map_pyramid.h"
#include "lib/ops/sparse/sparse_convolution.h"
#include "models/backbones/sparse_unet_shape.h"
#include "models/weights.h"

namespace grasppanda::models {

/// The voxels of the five tensor strides and who meets whom, for every layer of the network. Rows
/// inside are in curve order; input and output are in the caller's.
struct SparseLevels {
  at::Tensor order;  // (V,) int64, CPU: the caller's row of each inner row
  ops::KernelMapPyramid maps;
  std::array<ops::SharedKernelMap, kUnetLevels + 1> alone;  // 1/1
  ops::SharedKernelMap last;                                // 1/1, back to the caller's order
};
/// coords (V, 4) int32: batch, x, y, z, each once; `device`: where the network runs.
SparseLevels sparse_levels(const at::Tensor& coords, const at::Device& device = at::kCPU);

/// Folded: the norms' scales are part of the weights and their shifts biases, rounded once from
/// float64. Separate: convolution, then norm, as the layers were trained. They differ by rounding.
enum class BatchNormForm { folded, separate };

/// Receives the rows of an inner layer, named as in the checkpoint ("conv0p1s1", "block1"), with
/// their coordinates (N, 4) int32. Of the convolutions before a norm only the first is seen when
/// norms are folded.
using LayerObserver =
    std::function<void(const std::string& layer, const at::Tensor& rows, const at::Tensor& where)>;

/// Memory of a forward pass that the next one uses again: fresh pages for some 70 MB of features
/// cost a tenth of the pass. For one pass at a time.
class SparseWorkspace {
 public:
  /// (count, channels), not initialised, in a place of its own for every slot.
  at::Tensor rows(std::size_t slot, std::int64_t count, std::int64_t channels,
                  const at::TensorOptions& options);

 private:
  std::vector<at::Tensor> slots_;
};

class SparseUnet {
 public:
  SparseUnet(const Weights& weights, const std::string& prefix, const at::Device& device,
             BatchNormForm form = BatchNormForm::folded);

  /// feats (V, 3) float32 on the network's device, in the caller's order -> (V, 512), which lies in
  /// the workspace and is overwritten by its next pass.
  at::Tensor forward(const SparseLevels& levels, const at::Tensor& feats,
                     SparseWorkspace& workspace, const LayerObserver& observe = {}) const;

  /// Floating-point operations of the products that a pass needs, a multiplication and an addition
  /// each.
  double operations(const SparseLevels& levels) const;

 private:
  struct Layer {
    std::string name;
    ops::SparseWeights weights;
    at::Tensor scale, shift;  // (out,) float32; undefined when folded
  };
  struct Block {
    Layer first, second, shortcut;  // shortcut: without weights where the input itself is added
    bool has_shortcut = false;
  };
  Layer load_layer(const Weights& weights, const std::string& prefix,
                   const UnetLayerNames& names) const;
  Block load_block(const Weights& weights, const std::string& prefix, int number) const;
  void run(const Layer& layer, const at::Tensor& feats, const ops::SharedKernelMap& map,
           ops::SparseFusion fusion, at::Tensor out, const LayerObserver& observe,
           const at::Tensor& where) const;
  void run_block(int number, const at::Tensor& feats, const SparseLevels& levels, int level,
                 at::Tensor out, SparseWorkspace& workspace, const LayerObserver& observe) const;

  at::Device device_;
  BatchNormForm form_;
  Layer first_;
  ops::SparseWeights first_unfolded_, last_;
  std::array<Layer, kUnetLevels> down_, up_;
  std::array<Block, 2 * kUnetLevels> blocks_;
};

}  // namespace grasppanda::models
