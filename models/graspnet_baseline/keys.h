// Configuration keys of GraspNet-baseline. Plain data, without LibTorch: the program reads it too.
#pragma once

#include "lib/config/key_table.h"

namespace grasppanda::models {

/// It has no `model.*` rows of its own; the common keys whose published default differs.
const config::KeyTable& graspnet_baseline_keys();

}  // namespace grasppanda::models
