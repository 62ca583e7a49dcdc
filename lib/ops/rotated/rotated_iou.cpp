#include "lib/ops/rotated/rotated_iou.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/argument_check.h"
#include "lib/ops/rotated/cpu_kernels.h"
#include "lib/ops/rotated/cuda_kernels.h"

namespace grasppanda::ops {

void require_rotated_boxes(std::string_view op, std::string_view argument,
                           const at::Tensor& boxes) {
  if (!boxes.defined()) refuse_argument(op, argument, "is missing", "a tensor (N, 5)");
  if (boxes.dim() != 2 || boxes.size(1) != 5)
    refuse_argument(op, argument, "has shape " + shape_text(boxes), "(N, 5): cx, cy, w, h, angle");
  if (boxes.scalar_type() != at::kFloat && boxes.scalar_type() != at::kDouble)
    refuse_argument(op, argument, "is " + std::string(c10::toString(boxes.scalar_type())),
                    "float32 or float64");
}

at::Tensor rotated_iou(const at::Tensor& boxes1, const at::Tensor& boxes2, OverlapRatio ratio) {
  require_rotated_boxes("rotated_iou", "boxes1", boxes1);
  require_rotated_boxes("rotated_iou", "boxes2", boxes2);
  require_like("rotated_iou", "boxes2", boxes2, "boxes1", boxes1);
  return rotated_iou_kernels().run(boxes1.device(), boxes1.detach(), boxes2.detach(), false, ratio);
}

at::Tensor aligned_rotated_iou(const at::Tensor& boxes1, const at::Tensor& boxes2,
                               OverlapRatio ratio) {
  require_rotated_boxes("rotated_iou", "boxes1", boxes1);
  require_rotated_boxes("rotated_iou", "boxes2", boxes2);
  require_like("rotated_iou", "boxes2", boxes2, "boxes1", boxes1);
  if (boxes1.size(0) != boxes2.size(0))
    refuse_argument("rotated_iou", "boxes2", "holds " + std::to_string(boxes2.size(0)) + " boxes",
                    std::to_string(boxes1.size(0)) + " like boxes1, because they are aligned");
  return rotated_iou_kernels().run(boxes1.device(), boxes1.detach(), boxes2.detach(), true, ratio);
}

KernelList<RotatedIouFn>& rotated_iou_kernels() {
  static KernelList<RotatedIouFn> list("rotated",
                                       {rotated_cuda_kernels().rotated_iou,
                                        rotated_iou_cpu_kernel(),
                                        {kReference, {}, {}, rotated_iou_reference}},
                                       check_rotated_iou, "rotated_iou");
  return list;
}

}  // namespace grasppanda::ops
