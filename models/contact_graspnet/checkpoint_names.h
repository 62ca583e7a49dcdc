// The names that the public checkpoints of Contact-GraspNet (cgn-pytorch) give to their tensors.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/model.h"

namespace grasppanda::models::contact_graspnet {

/// Prefixes of the Linear (or 1x1 convolution) and of the batch norm of one layer.
struct LayerNames {
  std::string linear, norm;
};
LayerNames level_layer(int level, int scale, int layer);  // set_abstract_msg.L.S.conv.local_nn.K
LayerNames step_layer(int step, int layer);               // feat_prop.I.nn.K
LayerNames head_layer(int head);                          // multihead.H: first layer and its norm
std::string head_output(int head);                        // multihead.H.3

/// All 295 tensors; the 21 of `set_abstract_final` are marked unused.
std::vector<ExpectedTensor> expected_tensors(const config::Config* config);

/// True for a file of this network, by the shape of its first layer and the presence of a head.
bool recognises(std::span<const io::NamedArray> tensors);

}  // namespace grasppanda::models::contact_graspnet
