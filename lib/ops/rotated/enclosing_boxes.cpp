#include "lib/ops/rotated/enclosing_boxes.h"

#include <ATen/ATen.h>

#include "lib/ops/rotated/sampled_iou.h"

namespace grasppanda::ops {

at::Tensor enclosing_boxes(const at::Tensor& boxes) {
  at::Tensor bounds = at::empty({boxes.size(0), 4}, at::kFloat);
  float* out = bounds.mutable_data_ptr<float>();
  for (const SampledBox& box : sampled_boxes(boxes))
    for (const float value : {box.low_x, box.low_y, box.high_x, box.high_y}) *out++ = value;
  return bounds.to(boxes.device());
}

at::Tensor horizontal_iou(const at::Tensor& boxes1, const at::Tensor& boxes2) {
  const auto first = [&](int64_t k) { return boxes1.select(1, k).unsqueeze(1); };
  const auto second = [&](int64_t k) { return boxes2.select(1, k).unsqueeze(0); };
  const auto side = [&](int64_t k) {
    return at::minimum(first(k + 2), second(k + 2))
        .sub(at::maximum(first(k), second(k)))
        .clamp_min(0);
  };
  const auto area = [](const auto& box) { return box(2).sub(box(0)).mul(box(3).sub(box(1))); };
  const at::Tensor shared = side(0).mul(side(1));
  return shared.div(area(first).add(area(second)).sub(shared).add(1e-8));
}

}  // namespace grasppanda::ops
