// Where the rows of a sparse tensor lie: its coordinates, and the row of a coordinate.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <cstdint>
#include <vector>

#include "lib/ops/sparse/coordinate.h"

namespace grasppanda::ops {

/// The coordinates of a sparse tensor in the order of its feature rows, and the way back from a
/// coordinate to its row. Space is cut into bricks of 4 x 4 x 4 cells; the occupied ones are found
/// by a hash and hold the rows of their cells, so that a walk over neighbours hashes once a brick.
/// Immutable; may be shared between threads. Memory: at most 300 bytes a row.
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
  std::int32_t find(const Coordinate& where) const;

  static constexpr int kBrickCells = 64;
  /// The rows of a brick's cells, -1 where none is; x fastest.
  using Brick = std::array<std::int32_t, kBrickCells>;
  struct Place {
    std::int32_t brick, cell;
  };
  const std::vector<Place>& places() const { return places_; }  // of every row
  const std::vector<Brick>& bricks() const { return bricks_; }
  /// The bricks around each, itself in the middle (13), x fastest; those that hold nothing are
  /// number bricks().size().
  std::vector<std::array<std::int32_t, 27>> brick_neighbours() const;

 private:
  friend struct CoordinateMapBuilder;
  struct Slot {
    std::uint32_t tag = 0;
    std::int32_t brick = -1;
  };
  CoordinateMap() = default;
  void reserve(std::size_t rows);
  void grow();
  std::int32_t find_brick(const Coordinate& brick) const;
  Place place_of(const Coordinate& where);  // makes the brick when it is new
  /// The row of `where`, which is added when it is new.
  std::int32_t insert(const Coordinate& where);

  std::vector<Coordinate> rows_, brick_at_;
  std::vector<Place> places_;
  std::vector<Brick> bricks_;
  std::vector<Slot> slots_;
  std::int32_t tensor_stride_ = 1;
};

/// The rows of `coords` (N, 4) int32 along a Z curve, batch by batch: (N,) int64. Rows that are
/// near in this order are near in space, which is what the caches want; no result depends on it.
at::Tensor curve_order(const at::Tensor& coords);

}  // namespace grasppanda::ops
