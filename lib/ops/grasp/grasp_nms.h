#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

/// grasps (n, 17) float32 or float64 -> kept (k,) int64, indices in output order.
at::Tensor grasp_nms(const at::Tensor& grasps, double translation_thresh, double rotation_thresh);

}  // namespace grasppanda::ops
