#include "lib/ops/rotated/sampled_nms.h"

#include <ATen/ATen.h>

#include "lib/ops/rotated/cpu_kernels.h"
#include "lib/ops/rotated/cuda_kernels.h"
#include "lib/ops/rotated/sampled_iou.h"
#include "lib/ops/rotated/score_order.h"

namespace grasppanda::ops {
namespace {

// (N, 1) and (1, N) of a field of the boxes.
at::Tensor column(const std::vector<SampledBox>& boxes, float SampledBox::*field) {
  at::Tensor values = at::empty({static_cast<int64_t>(boxes.size()), 1}, at::kFloat);
  float* out = values.mutable_data_ptr<float>();
  for (const SampledBox& box : boxes) *out++ = box.*field;
  return values;
}

at::Tensor extent_shared(const at::Tensor& low, const at::Tensor& high) {
  return at::minimum(high, high.t()).sub(at::maximum(low, low.t())).clamp_min(0);
}

}  // namespace

at::Tensor sampled_nms(const at::Tensor& boxes, double iou_threshold, int64_t num_samples) {
  const c10::Device device = suppression_device(sampled_nms_kernels(), boxes.device());
  return sampled_nms_kernels().run(device, boxes.to(device), iou_threshold, num_samples);
}

at::Tensor sampled_nms_reference(const at::Tensor& boxes, double iou_threshold,
                                 int64_t num_samples) {
  const int64_t count = boxes.size(0);
  const std::vector<SampledBox> made = sampled_boxes(boxes);
  const at::Tensor area = column(made, &SampledBox::area);
  const at::Tensor shared =
      extent_shared(column(made, &SampledBox::low_x), column(made, &SampledBox::high_x))
          .mul(extent_shared(column(made, &SampledBox::low_y), column(made, &SampledBox::high_y)));
  const at::Tensor bound = shared.div(area.add(area.t()).sub(shared).clamp_min(1e-8));
  const at::Tensor pairs =
      bound.gt(static_cast<float>(0.5 * iou_threshold)).triu(1).nonzero().t().contiguous();
  const at::Tensor iou =
      sampled_pairs_reference(boxes.to(at::kCPU), pairs[0], pairs[1], num_samples);
  at::Tensor suppresses = at::zeros({count, count}, at::kBool);
  suppresses.index_put_({pairs[0], pairs[1]}, iou.gt(static_cast<float>(iou_threshold)));
  at::Tensor keep = at::ones({count}, at::kBool);
  while (true) {
    const at::Tensor next = suppresses.logical_and(keep.unsqueeze(1)).any(0).logical_not();
    if (next.equal(keep)) return keep.nonzero().squeeze(1);
    keep = next;
  }
}

KernelList<SampledNmsFn>& sampled_nms_kernels() {
  static KernelList<SampledNmsFn> list("rotated",
                                       {rotated_cuda_kernels().sampled_nms,
                                        sampled_nms_cpu_kernel(),
                                        {kReference, {}, {}, sampled_nms_reference}},
                                       check_sampled_nms, "sampled_nms");
  return list;
}

}  // namespace grasppanda::ops
