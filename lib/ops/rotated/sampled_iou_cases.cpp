#include <ATen/ATen.h>

#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/sampled_iou.h"

namespace grasppanda::ops {

std::string check_sampled_iou(const Kernel<SampledIouFn>& kernel, c10::Device device) {
  int64_t grid = 1;
  for (const RotatedIouCase& c : rotated_iou_cases())
    for (const bool aligned : {false, true}) {
      grid = grid % 9 + 1;
      const int64_t rows = std::min(c.boxes1.size(0), c.boxes2.size(0));
      const auto boxes = [&](const at::Tensor& all) {
        return (aligned ? all.narrow(0, 0, rows) : all).to(at::kFloat);
      };
      const at::Tensor boxes1 = boxes(c.boxes1), boxes2 = boxes(c.boxes2);
      const at::Tensor got =
          kernel.run(boxes1.to(device), boxes2.to(device), aligned, grid * grid).to(at::kCPU);
      const std::string difference =
          first_difference("iou", got, sampled_iou_reference(boxes1, boxes2, aligned, grid * grid));
      if (!difference.empty()) return c.name + ": " + difference;
    }
  return {};
}

}  // namespace grasppanda::ops
