// From the raw numbers of the heads to grasps: the best angle, depth and width of every seed.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/graspnet_baseline/network.h"

namespace grasppanda::models::graspnet_baseline {

/// CPU tensors, one row a seed.
struct Decoded {
  at::Tensor rows;         // (M, 17) float32 of the GraspNet format, frame of the seeds
  at::Tensor graspable;    // (M,) bool: the seeds that the network calls graspable
  at::Tensor angle_class;  // (M, D) uint8: the best angle at every depth
  at::Tensor depth_class;  // (M,) uint8
};

/// Among equals the lowest class wins; NaN counts as largest, so that it is seen and dropped later.
Decoded decode(const at::Tensor& seeds, const at::Tensor& objectness, const at::Tensor& approach,
               const GraspScores& scores);

}  // namespace grasppanda::models::graspnet_baseline
