#include <ATen/ATen.h>

#include <algorithm>

#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/sampled_iou.h"
#include "lib/ops/rotated/seeded_boxes.h"

namespace grasppanda::ops {

SampledIouCase random_sampled_iou_case(uint64_t seed, int64_t boxes) {
  constexpr int64_t kPoints = 1 << 16, kPairs = 2048;
  SeededNumbers numbers(seed);
  const bool aligned = numbers.below(4) == 0;
  const int64_t grid = drawn<int64_t>(numbers, {1, 2, 5, 8, 13, 32}), samples = grid * grid;
  const int64_t pairs = std::min(kPairs, kPoints / samples), first = std::min(boxes, pairs);
  const int64_t second = aligned ? first : pairs / first;
  const at::Tensor boxes1 = drawn_boxes(numbers, first), boxes2 = drawn_boxes(numbers, second);
  return {"random", boxes1, boxes2, aligned, samples};
}

std::string compare_sampled_iou(const Kernel<SampledIouFn>& kernel, c10::Device device,
                                const SampledIouCase& call) {
  const at::Tensor got =
      kernel.run(call.boxes1.to(device), call.boxes2.to(device), call.aligned, call.num_samples);
  const std::string difference = first_difference(
      "iou", got, sampled_iou_reference(call.boxes1, call.boxes2, call.aligned, call.num_samples));
  return difference.empty() ? difference : call.name + ": " + difference;
}

std::string check_sampled_iou(const Kernel<SampledIouFn>& kernel, c10::Device device) {
  int64_t grid = 1;
  for (const RotatedIouCase& c : rotated_iou_cases())
    for (const bool aligned : {false, true}) {
      grid = grid % 9 + 1;
      const int64_t rows = std::min(c.boxes1.size(0), c.boxes2.size(0));
      const auto boxes = [&](const at::Tensor& all) {
        return (aligned ? all.narrow(0, 0, rows) : all).to(at::kFloat);
      };
      if (std::string difference = compare_sampled_iou(
              kernel, device, {c.name, boxes(c.boxes1), boxes(c.boxes2), aligned, grid * grid});
          !difference.empty())
        return difference;
    }
  return {};
}

}  // namespace grasppanda::ops
