// The names that the public checkpoints of GraspNet-baseline give to their tensors.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/model.h"

namespace grasppanda::models::graspnet_baseline {

/// Prefixes of a convolution and of the batch norm behind it; no norm behind the last ones.
struct LayerNames {
  std::string convolution, norm;
};
LayerNames level_layer(int level, int layer);  // backbone.sa1 .. sa4
LayerNames step_layer(int step, int layer);    // backbone.fp1, fp2
LayerNames crop_layer(int layer);
LayerNames view_layer(int layer);       // vpmodule: 0, 1, and 2 without a norm
LayerNames operation_layer(int layer);  // score, angle, width: likewise
LayerNames tolerance_layer(int layer);  // likewise

/// All 162 tensors; the 25 counters of batch norm are read by nobody.
std::vector<ExpectedTensor> expected_tensors(const config::Config* config);

/// True for a file of this network, by two keys that no other model has.
bool recognises(std::span<const io::NamedArray> tensors);

}  // namespace grasppanda::models::graspnet_baseline
