#include "lib/ops/point/furthest_point_sample.h"

#include <string>

#include "lib/ops/argument_check.h"
#include "lib/ops/point/cpu_kernels.h"
#include "lib/ops/point/cuda_kernels.h"

namespace grasppanda::ops {

TieBreak parse_tie_break(std::string_view name) {
  if (name == "lowest_index") return TieBreak::lowest_index;
  if (name == "pointnet2_cuda") return TieBreak::pointnet2_cuda;
  refuse_argument("furthest_point_sample", "tie_break", "is '" + std::string(name) + "'",
                  "lowest_index or pointnet2_cuda");
}

std::string_view tie_break_name(TieBreak tie_break) {
  return tie_break == TieBreak::lowest_index ? "lowest_index" : "pointnet2_cuda";
}

at::Tensor furthest_point_sample(const at::Tensor& points, int64_t num_samples,
                                 bool skip_near_origin, TieBreak tie_break) {
  require_cloud("furthest_point_sample", "points", points);
  if (num_samples < 0)
    refuse_argument("furthest_point_sample", "num_samples", "is " + std::to_string(num_samples),
                    ">= 0");
  require_result_size("furthest_point_sample", "num_samples", num_samples, points.size(0));
  if (points.size(0) > 0 && points.size(1) == 0 && num_samples > 0)
    refuse_argument("furthest_point_sample", "points", "has shape " + shape_text(points),
                    "at least one point per cloud");
  return furthest_point_sample_kernels().run(points.device(), points, num_samples, skip_near_origin,
                                             tie_break);
}

KernelList<FurthestPointSampleFn>& furthest_point_sample_kernels() {
  static KernelList<FurthestPointSampleFn> list(
      "fps",
      {cuda_kernels().furthest_point_sample,
       furthest_point_sample_cpu_kernel(),
       {kReference, {}, {}, furthest_point_sample_reference}},
      check_furthest_point_sample);
  return list;
}

}  // namespace grasppanda::ops
