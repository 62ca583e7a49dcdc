#include <ATen/ATen.h>

#include "lib/ops/rotated/box_table.h"
#include "lib/ops/rotated/rectangle_overlap.h"
#include "lib/ops/rotated/rotated_nms.h"
#include "lib/ops/rotated/score_order.h"

namespace grasppanda::ops {

at::Tensor rotated_nms_reference(const at::Tensor& boxes, const at::Tensor& groups,
                                 SuppressionRule rule) {
  const at::Tensor rows = boxes.to(at::kCPU, at::kDouble).contiguous();
  const at::Tensor group_of = groups.to(at::kCPU).contiguous();
  const auto frames =
      box_frames(rows.const_data_ptr<double>(), static_cast<std::size_t>(rows.size(0)), 1);
  const int64_t* group = group_of.const_data_ptr<int64_t>();
  std::vector<int64_t> kept;
  for (std::size_t j = 0; j < frames.size(); ++j) {
    bool stays = true;
    for (std::size_t k = 0; k < kept.size() && stays; ++k) {
      const auto i = static_cast<std::size_t>(kept[k]);
      if (group[i] != group[j]) continue;
      const double iou = overlap_ratio(frames[i], frames[j], OverlapRatio::iou);
      stays = !(rule.at_equality ? iou >= rule.iou_threshold : iou > rule.iou_threshold);
    }
    if (stays) kept.push_back(static_cast<int64_t>(j));
  }
  return index_tensor(kept, at::kCPU);
}

}  // namespace grasppanda::ops
