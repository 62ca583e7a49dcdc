// What all of oriented-det's detectors here have in common: ResNet and FPN under its names.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <span>
#include <string>
#include <vector>

#include "models/backbones/fpn.h"
#include "models/backbones/resnet.h"

namespace grasppanda::models::oriented_det {

struct Trunk {
  ResNet backbone;
  Fpn neck;
};
Trunk make_trunk(LayerSource& source, std::span<const io::NamedArray> tensors, ExtraLevels extra);
/// "resnet50"
std::string backbone_name(std::span<const io::NamedArray> tensors);
/// Do the tensors lie under the project's names of the trunk?
bool has_trunk(std::span<const io::NamedArray> tensors);

}  // namespace grasppanda::models::oriented_det
