// For env.json: which Highway the kernels were written with. No LibTorch here.
#pragma once

#include <string>

namespace grasppanda::ops {

/// "1.0.3", or that there is none
std::string highway_version();

}  // namespace grasppanda::ops
