// Feature pyramid network: five maps of 256 channels from the stages of a backbone.
// Source: Lin et al., Feature Pyramid Networks for Object Detection, CVPR 2017.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <string>
#include <vector>

#include "models/backbones/layer_source.h"

namespace grasppanda::models {

inline constexpr std::int64_t kPyramidChannels = 256;

struct FpnNames {
  std::string lateral, output;       // followed by the number of the level, from 0
  std::string suffix;                // after that number: ".conv", ".0"
  std::array<std::string, 2> extra;  // the two further strided convolutions
};

/// What follows the finest levels.
enum class ExtraLevels : std::uint8_t {
  pooled,                // C2..C5 -> P2..P5; P6: every second pixel of P5
  from_input,            // C3..C5 -> P3..P5; P6 strided from C5, P7 from P6
  from_input_rectified,  // the same, P7 from max(0, P6)
  from_output,           // P6 strided from P5, P7 from max(0, P6); P6 itself is not rectified
};

class Fpn {
 public:
  Fpn() = default;
  /// `channels`: of C2..C5.
  Fpn(LayerSource& source, const FpnNames& names, const std::array<std::int64_t, 4>& channels,
      ExtraLevels extra);

  /// C2..C5 -> five levels, finest first: strides 4 to 64 when pooled, else 8 to 128.
  std::array<at::Tensor, 5> forward(const std::array<at::Tensor, 4>& stages) const;

 private:
  ExtraLevels extra_ = ExtraLevels::pooled;
  std::vector<Convolution> laterals_, outputs_, strided_;
};

}  // namespace grasppanda::models
