// The names that the checkpoints of both public ports of GSNet give to their tensors.
#pragma once

#include <span>
#include <vector>

#include "models/model.h"

namespace grasppanda::models::gsnet {

inline constexpr const char* kBackbonePrefix = "backbone.";

/// All 216 tensors, in the order of the files.
std::vector<ExpectedTensor> expected_tensors(const config::Config* config);

/// True for a file of this network: its first sparse convolution and its graspable head.
bool recognises(std::span<const io::NamedArray> tensors);

}  // namespace grasppanda::models::gsnet
