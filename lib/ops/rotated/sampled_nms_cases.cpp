#include <ATen/ATen.h>

#include <algorithm>

#include "lib/ops/rotated/rotated_nms.h"
#include "lib/ops/rotated/sampled_nms.h"
#include "lib/ops/rotated/seeded_boxes.h"

namespace grasppanda::ops {

SampledNmsCase random_sampled_nms_case(uint64_t seed, int64_t boxes) {
  constexpr int64_t kMost = 100;
  SeededNumbers numbers(seed);
  const int64_t count = std::min(boxes, kMost + boxes % 3);
  const at::Tensor rows = drawn_boxes(numbers, count);
  const int64_t grid = drawn<int64_t>(numbers, {1, 3, 5, 8});
  return {"random", rows, drawn(numbers, {0.0, 0.1, 0.5, 0.9}), grid * grid};
}

std::string compare_sampled_nms(const Kernel<SampledNmsFn>& kernel, c10::Device device,
                                const SampledNmsCase& call) {
  const at::Tensor got = kernel.run(call.boxes.to(device), call.iou_threshold, call.num_samples);
  const std::string difference = first_difference(
      "kept", got, sampled_nms_reference(call.boxes, call.iou_threshold, call.num_samples));
  return difference.empty() ? difference : call.name + ": " + difference;
}

std::string check_sampled_nms(const Kernel<SampledNmsFn>& kernel, c10::Device device) {
  constexpr int64_t kMost = 90;  // the reference measures every pair
  for (const RotatedNmsCase& c : rotated_nms_cases())
    for (const int64_t samples : {9, 64}) {
      const at::Tensor boxes = c.boxes.narrow(0, 0, std::min(c.boxes.size(0), kMost));
      if (std::string difference =
              compare_sampled_nms(kernel, device, {c.name, boxes, c.rule.iou_threshold, samples});
          !difference.empty())
        return difference;
    }
  return {};
}

}  // namespace grasppanda::ops
