#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

namespace grasppanda::ops {

enum class TieBreak { lowest_index, pointnet2_cuda };

at::Tensor furthest_point_sample(const at::Tensor& points, int64_t num_samples,
                                 bool skip_near_origin = false,
                                 TieBreak tie_break = TieBreak::lowest_index);

}  // namespace grasppanda::ops
