// Whether LibTorch can compute on a CUDA device here.
#pragma once

#include <string>

namespace grasppanda::ops {

/// Number of CUDA devices that LibTorch can use. The first call opens LibTorch's CUDA part, which
/// is not linked, where the machine has a CUDA driver; ask before LibTorch itself is asked about
/// CUDA, it remembers its first answer. Costs nothing to speak of where there is no driver.
int cuda_device_count();

/// Why the count is 0; empty when it is not.
std::string why_no_cuda_device();

}  // namespace grasppanda::ops
