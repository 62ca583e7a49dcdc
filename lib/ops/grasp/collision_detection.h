#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

/// Parameters of the check. The finger is 0.01 m wide and 0.06 m long.
struct CollisionSettings {
  double voxel_size = 0.005;       // metres, > 0: the scene is thinned to one point per voxel
  double approach_dist = 0.03;     // metres of approach path; at least a finger's width is checked
  double collision_thresh = 0.05;  // overlap above which a grasp collides
  double empty_thresh = 0.01;      // share of the inner volume below which a grasp is empty
};

/// collision_mask, empty_mask (n,) bool; ious (5, n) float64: global, left finger, right finger,
/// bottom (palm), shifting (approach path); scene_points (k, 3) float64: the thinned cloud, in the
/// order in which its voxels appear. All on the CPU.
struct Collisions {
  at::Tensor collision_mask;
  at::Tensor empty_mask;
  at::Tensor ious;
  at::Tensor scene_points;
};

/// Which grasps' grippers would touch the scene.
///
/// grasps  (n, 17) float32 or float64, columns of geometry/grasp.h, metres; any device
/// cloud   (N, 3) float32 or float64, same frame; N = 0 collides with nothing
///
/// Contract: the cloud is widened to float64 and thinned to voxel means. Bounds and volumes of the
/// gripper are computed in the type of `grasps`, then widened and compared with the points in
/// float64. A zone's overlap is its number of points over its volume in voxels plus 1e-6; the
/// global one counts every colliding point once. collision: global > collision_thresh, strict.
/// empty: points between the fingers over the inner volume < empty_thresh, strict (a NaN is not).
/// Cloud points with a coordinate that is not finite are left out: a hole is no obstacle.
/// Throws ArgumentError: shapes, types, voxel_size not positive and finite, a NaN parameter, a
/// cloud that spans more than 2^31 voxels.
/// Cost O(N + n * points near a gripper). Source: the model-free collision detector of
/// GraspNet-baseline; docs/ops/grasp.md
Collisions collision_detection(const at::Tensor& grasps, const at::Tensor& cloud,
                               const CollisionSettings& settings);

}  // namespace grasppanda::ops
