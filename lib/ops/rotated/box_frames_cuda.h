// Boxes made ready for the exact CUDA kernels. Included by *_cuda.cu only.
#pragma once

#include "lib/ops/launch_cuda.h"
#include "lib/ops/rotated/box_frame.h"

namespace grasppanda::ops::device {

/// Threads of a block, and blocks that give every item a thread.
constexpr unsigned kItemThreads = 128;
inline unsigned blocks_for_items(std::int64_t items) {
  return static_cast<unsigned>((items + kItemThreads - 1) / kItemThreads);
}
__device__ inline std::int64_t item_of_thread() {
  return std::int64_t{blockIdx.x} * kItemThreads + threadIdx.x;
}

/// Queues what makes `frames` of `boxes` (count, 5), float or, where `wide`, double.
Failure make_box_frames(const GrasppandaCudaPlace& place, const void* boxes, bool wide,
                        std::int64_t count, BoxFrame* frames);

}  // namespace grasppanda::ops::device
