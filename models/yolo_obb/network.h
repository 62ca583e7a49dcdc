// The network of YOLO-OBB: a letterboxed picture in, the raw output of the head per anchor out.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <string>
#include <vector>

#include "models/yolo_obb/blocks.h"

namespace grasppanda::models::yolo_obb {

/// Of the three levels, P3 first; (B, C, H, W) float32, channels-last: an anchor's numbers lie
/// together.
struct HeadLevel {
  at::Tensor boxes;   // (B, 4 R, H, W): left, top, right, bottom; R logits each, or a distance
  at::Tensor scores;  // (B, classes, H, W) logits
  at::Tensor angle;   // (B, 1, H, W), before the family's formula
};
using HeadOutput = std::array<HeadLevel, 3>;

enum class Branch : std::uint8_t { one2many, one2one };

class Network {
 public:
  /// `branch`: one2one only for a network that has it.
  Network(const Weights& weights, const StoredSettings& settings, Branch branch,
          const at::Device& device);

  /// input (B, 3, H, W) float32 in 0..1, channels-last, sides multiples of 32. `observe` receives
  /// the output of every layer as L0, L1, ...
  HeadOutput forward(const at::Tensor& input, const StageObserver& observe = {}) const;

  /// One layer on what it takes from: what a test feeds with reference values.
  at::Tensor layer(std::size_t index, const at::Tensor& first, const at::Tensor& second = {}) const;
  HeadOutput head(const std::array<at::Tensor, 3>& levels) const;

  const Architecture& net() const { return net_; }

 private:
  struct HeadBranches {
    std::vector<Convolution> boxes, scores, angle;  // of one level, in sequence
  };
  Architecture net_;
  std::vector<BlockPointer> layers_;  // null: concatenation
  std::array<HeadBranches, 3> head_;
};

}  // namespace grasppanda::models::yolo_obb
