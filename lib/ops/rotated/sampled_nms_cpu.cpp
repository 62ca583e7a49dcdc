#include "lib/ops/rotated/sampled_nms_cpu.h"

#include <algorithm>
#include <atomic>

#include "lib/ops/rotated/sampled_iou_cpu.h"
#include "lib/ops/rotated/sampled_point.h"

namespace grasppanda::ops {

std::vector<bool> sampled_nms_cpu(const std::vector<SampledBox>& boxes, float iou_threshold,
                                  float least_bound, std::size_t grid, int threads) {
  const SampledPoints points(boxes, 0, boxes.size(), grid);
  std::vector<bool> stays(boxes.size(), true);
  std::vector<std::size_t> kept, near;
  for (std::size_t j = 0; j < boxes.size(); ++j) {
    near.clear();
    for (const std::size_t i : kept)
      if (bounds_may_suppress(boxes[i], boxes[j], least_bound)) near.push_back(i);
    std::atomic<bool> suppressed{false};
    const auto last = static_cast<std::ptrdiff_t>(near.size());
#pragma omp parallel for num_threads(threads) if (threads > 1 && near.size() * grid * grid > 40000)
    for (std::ptrdiff_t k = 0; k < last; ++k) {
      if (suppressed.load(std::memory_order_relaxed)) continue;
      const std::size_t i = near[static_cast<std::size_t>(k)];
      if (sampled_pair_cpu(boxes[i], points, i, boxes[j], points, j, grid * grid) > iou_threshold)
        suppressed = true;
    }
    stays[j] = !suppressed;
    if (stays[j]) kept.push_back(j);
  }
  return stays;
}

}  // namespace grasppanda::ops
