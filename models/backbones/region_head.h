// The two heads of two-stage detectors: proposals over every level of a pyramid, and two fully
// connected layers over the features of a region.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "models/backbones/layer_source.h"

namespace grasppanda::models {

struct RpnHeadNames {
  std::string convolution, classes, boxes;
};
struct RpnOutput {
  at::Tensor classes, boxes;  // (B, A, H, W) logits, (B, A D, H, W) deltas
};
/// A level of one picture, anchor by anchor.
struct ProposalLevel {
  std::vector<float> scores;
  at::Tensor deltas;  // (anchors, D) float32, on the CPU

  std::int64_t anchors() const { return deltas.size(0); }
  const float* deltas_of(std::int64_t anchor) const {
    return deltas.const_data_ptr<float>() + deltas.size(1) * anchor;
  }
};
ProposalLevel proposal_level(const RpnOutput& output);

class RpnHead {
 public:
  RpnHead() = default;
  /// `deltas`: how many numbers describe a proposal against its anchor.
  RpnHead(LayerSource& source, const RpnHeadNames& names, std::int64_t anchors,
          std::int64_t deltas);
  RpnOutput operator()(const at::Tensor& level) const;

 private:
  Convolution convolution_, classes_, boxes_;
};

struct RegionHeadNames {
  std::string first, second, classes, boxes;
};
struct RegionOutput {
  at::Tensor classes, boxes;  // (R, K + 1) logits, (R, deltas)
};
class RegionHead {
 public:
  RegionHead() = default;
  RegionHead(LayerSource& source, const RegionHeadNames& names, std::int64_t classes,
             std::int64_t deltas);
  /// features (R, 256, 7, 7), flattened channel by channel.
  RegionOutput operator()(const at::Tensor& features) const;

 private:
  Linear first_, second_, classes_, boxes_;
};

}  // namespace grasppanda::models
