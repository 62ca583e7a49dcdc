#pragma once

#include <ATen/core/Tensor.h>

#include <string_view>

namespace grasppanda::ops {

/// Spelled z, z-trans, hilbert, hilbert-trans. `trans` exchanges x and y first.
enum class SerializationOrder { z, z_trans, hilbert, hilbert_trans };

/// Throws ArgumentError naming the four for anything else.
SerializationOrder parse_serialization_order(std::string_view name);

/// Codes that order voxels along a space-filling curve.
///
/// coords   (N, 3) int32 or int64, each 0 .. 2^depth - 1
/// batch    (N,) int32 or int64, not negative; undefined: all 0
/// depth    bits per axis, 1 .. 16
/// returns  (N,) int64: batch * 2^(3*depth) + curve code, on the device of `coords`
///
/// z: bit i of x, y, z goes to bit 3i+2, 3i+1, 3i. hilbert: Skilling's transform, then likewise.
/// Throws ArgumentError: shape, type, depth, a coordinate outside its range, a batch so large that
/// the code leaves 63 bits. Cost O(N*depth). One implementation, on the CPU.
/// Source: J. Skilling, "Programming the Hilbert curve", 2004; docs/ops/point.md
at::Tensor serialization_code(const at::Tensor& coords, const at::Tensor& batch, int64_t depth,
                              SerializationOrder order);

/// coords (N, 3) int64, batch (N,) int64.
struct SerializedVoxels {
  at::Tensor coords;
  at::Tensor batch;
};

/// The inverse: code (N,) int64, not negative.
SerializedVoxels serialization_decode(const at::Tensor& code, int64_t depth,
                                      SerializationOrder order);

}  // namespace grasppanda::ops
