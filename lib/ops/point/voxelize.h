#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

/// coords (V, 4) int32: batch, ix, iy, iz. first (V,) int64: the first point of each voxel, counted
/// batch by batch. inverse (B*N,) int64: the voxel of each point, so coords[inverse] are all cells.
struct Voxels {
  at::Tensor coords;
  at::Tensor first;
  at::Tensor inverse;
};

/// The occupied cells of a voxel grid, in the order in which their first point appears.
///
/// points      (B, N, 3) floating type, metres; any device, any strides
/// voxel_size  metres, a positive finite float32
/// returns     on the device of `points`
///
/// Contract: cell = floor(p / float32(voxel_size)) per axis, a true division: neither the product
/// with the reciprocal nor a division in double puts points on cell faces where they belong.
/// Throws ArgumentError: shape, type, voxel_size, a coordinate that is not finite, a cell beyond
/// +-2^30. Cost O(B*N) expected. One implementation, on the CPU; CUDA tensors are brought there.
/// Details in docs/ops/point.md
Voxels voxelize(const at::Tensor& points, double voxel_size);

}  // namespace grasppanda::ops
