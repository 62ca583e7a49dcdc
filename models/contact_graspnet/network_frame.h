// The frame that the network was trained in: z up from the table, mean of the points at the origin.
#pragma once

#include <ATen/core/Tensor.h>

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

}  // namespace grasppanda::models::contact_graspnet
