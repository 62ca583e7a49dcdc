#include "lib/ops/highway_version.h"

#include <hwy/highway.h>

namespace grasppanda::ops {

std::string highway_version() {
#ifdef HWY_MAJOR
  return std::to_string(HWY_MAJOR) + "." + std::to_string(HWY_MINOR) + "." +
         std::to_string(HWY_PATCH);
#else  // the stand-in of a build without Highway
  return "none, the kernels are scalar";
#endif
}

}  // namespace grasppanda::ops
