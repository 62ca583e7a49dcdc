#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

/// Unit vectors spread over the sphere along a Fibonacci spiral, (count, 3) float32 on the CPU;
/// computed in double, rounded once. A view points from the grasp point back to where the gripper
/// comes from: the approach vector is its negative. Throws ArgumentError unless count >= 1.
at::Tensor template_views(int64_t count = 300);

/// The in-plane angles of the published networks: i * pi / count, i = 0 .. count - 1; (count,)
/// float32 radians on the CPU.
at::Tensor in_plane_angles(int64_t count = 12);

/// Gripper rotations, columns approach, closing, normal.
///
/// approach  (n, 3) float32, any length; (0, 0, z) closes along y
/// angle     (n,) float32 radians about the approach vector
/// returns   (n, 3, 3) float32
///
/// Made of whole-tensor functions of LibTorch on the CPU, whose last bits the published numbers
/// carry (a scalar loop differs in a fifth of the entries); CUDA tensors are brought there.
/// Throws ArgumentError. Source: GraspNet-baseline (Fang et al., 2020); docs/ops/grasp.md
at::Tensor rotation_from_approach(const at::Tensor& approach, const at::Tensor& angle);

/// Every vector with every angle: (n, 3), (A,) -> (n, A, 3, 3) float32.
at::Tensor approach_rotations(const at::Tensor& approach, const at::Tensor& angles);

}  // namespace grasppanda::ops
