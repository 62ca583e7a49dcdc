#include "lib/ops/rotated/hbb_nms.h"

#include <ATen/ATen.h>

#include "lib/ops/rotated/enclosing_boxes.h"
#include "lib/ops/rotated/horizontal_nms.h"
#include "lib/ops/rotated/rotated_iou.h"

namespace grasppanda::ops {

at::Tensor hbb_nms(const at::Tensor& boxes, const at::Tensor& scores, double iou_threshold,
                   std::optional<int64_t> max_detections) {
  require_rotated_boxes("hbb_nms", "boxes", boxes);
  return horizontal_nms(enclosing_boxes(boxes), scores, iou_threshold, max_detections);
}

}  // namespace grasppanda::ops
