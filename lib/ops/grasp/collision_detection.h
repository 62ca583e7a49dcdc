#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

struct CollisionSettings {
  double voxel_size = 0.005;
  double approach_dist = 0.03;
  double collision_thresh = 0.05;
  double empty_thresh = 0.01;
};

/// collision, empty (n,) bool; ious (5, n) float64: global, left, right, bottom, shifting.
struct Collisions {
  at::Tensor collision_mask;
  at::Tensor empty_mask;
  at::Tensor ious;
};

/// grasps (n, 17) float32 or float64; cloud (N, 3) float32 or float64, same frame, metres.
Collisions collision_detection(const at::Tensor& grasps, const at::Tensor& cloud,
                               const CollisionSettings& settings);

}  // namespace grasppanda::ops
