// Configuration keys of Contact-GraspNet. Plain data, without LibTorch: the program reads it too.
#pragma once

#include "lib/config/key_table.h"

namespace grasppanda::models {

/// Rows `model.*` of Contact-GraspNet and the common keys whose published default differs.
const config::KeyTable& contact_graspnet_keys();

}  // namespace grasppanda::models
