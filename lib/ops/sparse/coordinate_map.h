// Where the rows of a sparse tensor lie: its coordinates, and the row of a coordinate.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace grasppanda::ops {

/// Batch item and integer position.
struct Coordinate {
  std::int32_t batch, x, y, z;
  friend bool operator==(const Coordinate&, const Coordinate&) = default;
};

/// The coordinates of a sparse tensor in the order of its feature rows, with a hash over them.
/// Immutable; may be shared between threads.
class CoordinateMap {
 public:
  /// coords (N, 4) int32: batch, x, y, z, each row once; positions are multiples of
  /// `tensor_stride` (1, 2, 4, ...), within +-2^30. Throws ArgumentError saying which row is wrong.
  CoordinateMap(const at::Tensor& coords, std::int32_t tensor_stride);

  std::int64_t size() const { return static_cast<std::int64_t>(rows_.size()); }
  std::int32_t tensor_stride() const { return tensor_stride_; }
  const std::vector<Coordinate>& rows() const { return rows_; }
  at::Tensor coords() const;  // (N, 4) int32, CPU

  /// The row at `where`, or -1.
  std::int32_t find(const Coordinate& where) const {
    const std::uint64_t hash = hash_of(where);
    const auto tag = static_cast<std::uint32_t>(hash >> 32);
    for (std::uint64_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const Slot& held = slots_[slot];
      if (held.row < 0) return -1;
      if (held.tag == tag && rows_[static_cast<std::size_t>(held.row)] == where) return held.row;
    }
  }

 private:
  friend struct CoordinateMapBuilder;
  struct Slot {
    std::uint32_t tag = 0;
    std::int32_t row = -1;
  };
  CoordinateMap() = default;

  static std::uint64_t hash_of(const Coordinate& c) {
    const auto bits = [](std::int32_t value) {
      return std::uint64_t{static_cast<std::uint32_t>(value)};
    };
    const std::uint64_t low = bits(c.x) | bits(c.y) << 32, high = bits(c.z) | bits(c.batch) << 32;
    std::uint64_t hash = low * 0x9e3779b97f4a7c15U ^ (high + 0x7f4a7c15U) * 0xc2b2ae3d27d4eb4fU;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9U;
    return hash ^ hash >> 32;
  }
  void reserve(std::size_t rows);
  /// The row of `where`, which is added when it is new.
  std::int32_t insert(const Coordinate& where);

  std::vector<Coordinate> rows_;
  std::vector<Slot> slots_;
  std::uint64_t mask_ = 0;
  std::int32_t tensor_stride_ = 1;
};

/// The rows of `coords` (N, 4) int32 along a Z curve, batch by batch: (N,) int64. Rows that are
/// near in this order are near in space, which is what the caches want; no result depends on it.
at::Tensor curve_order(const at::Tensor& coords);

}  // namespace grasppanda::ops
