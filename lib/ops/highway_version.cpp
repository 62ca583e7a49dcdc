#include "lib/ops/highway_version.h"

#include <hwy/highway.h>

namespace grasppanda::ops {

std::string highway_version() {
  return std::to_string(HWY_MAJOR) + "." + std::to_string(HWY_MINOR) + "." +
         std::to_string(HWY_PATCH);
}

}  // namespace grasppanda::ops
