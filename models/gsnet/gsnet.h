// GSNet ("graspness") as the run loop sees it.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>

#include "models/model.h"

namespace grasppanda::models::gsnet {

/// Builds the model from a checkpoint that require_match accepted.
std::unique_ptr<GraspModel> load(const config::Config& config, const io::Checkpoint& checkpoint,
                                 const at::Device& device);

}  // namespace grasppanda::models::gsnet
