// What all of MMRotate's detectors here have in common: ResNet and FPN under its names.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/backbones/fpn.h"
#include "models/backbones/resnet.h"

namespace grasppanda::models::mmrotate {

struct Trunk {
  ResNet backbone;
  Fpn neck;
};
Trunk make_trunk(LayerSource& source, std::span<const io::NamedArray> tensors, ExtraLevels extra);
/// "resnet50"
std::string backbone_name(std::span<const io::NamedArray> tensors);

/// What a source noted, and of the file's own tensors those that training leaves beside the
/// weights: the flat buffers of an averaging hook ("ema_backbone_conv1_weight").
std::vector<ExpectedTensor> with_leftovers(const LayerSource& source,
                                           std::span<const io::NamedArray> tensors);

/// "S2ANet": of the project's detectors that are not supported, the one whose tensors these are.
std::string_view unsupported_detector(std::span<const io::NamedArray> tensors);

}  // namespace grasppanda::models::mmrotate
