// From a masked cloud in the camera frame to the points the network was trained on: z up from the
// table, mean at the origin, in random order.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "lib/geometry/camera.h"

namespace grasppanda::models::contact_graspnet {

/// network_from_camera, q = rotation * p - mean, in float64.
struct NetworkFrame {
  at::Tensor rotation;  // (3, 3) float64
  at::Tensor mean;      // (3,) float64, of the rotated points
};

/// Rotation with `up` as z axis and the camera's x axis as near to x as it can be. `up` must not be
/// zero; its length does not matter.
at::Tensor rotation_from_up(const geometry::Vec3& up);

/// Turns the sampled points (n, 3) float64 and subtracts their mean; returns (n, 3) float32.
at::Tensor to_network_frame(const at::Tensor& sampled, NetworkFrame& frame);

/// Turns and shifts (m, 17) float32 rows back into the camera frame, in float64.
at::Tensor to_camera_frame(const at::Tensor& rows, const NetworkFrame& frame);

/// Up to `count` of n points: drawn without replacement, or all of them shuffled. The network keeps
/// the first 64 neighbours in order of index, so a raster order would make them one-sided.
std::vector<std::int64_t> sample_points(std::int64_t n, std::int64_t count, std::uint64_t seed);

}  // namespace grasppanda::models::contact_graspnet
