// The configuration keys of YOLO-OBB; no LibTorch here.
#pragma once

#include "lib/config/key_table.h"

namespace grasppanda::models {

const config::KeyTable& yolo_obb_keys();

}  // namespace grasppanda::models
