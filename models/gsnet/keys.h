// Configuration keys of GSNet. Plain data, without LibTorch: the program reads it too.
#pragma once

#include "lib/config/key_table.h"

namespace grasppanda::models {

/// Rows `model.*` of GSNet.
const config::KeyTable& gsnet_keys();

}  // namespace grasppanda::models
