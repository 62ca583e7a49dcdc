// Integer positions of a sparse tensor: cells, neighbours, hash, and the search of a hash table of
// rows. The same functions on the CPU and on a CUDA device; C++17, nvcc reads it too.
#pragma once

#include <cstdint>

#include "lib/ops/host_device.h"

namespace grasppanda::ops {

/// Positions lie within +-2^30.
constexpr std::int32_t kLargestPosition = 1 << 30;
/// Offsets of the largest kernel: 5 x 5 x 5.
constexpr int kMostOffsets = 125;

/// Batch item and integer position. A row of the (N, 4) int32 tensors.
struct Coordinate {
  std::int32_t batch, x, y, z;
};
GRASPPANDA_HOST_DEVICE inline bool operator==(const Coordinate& a, const Coordinate& b) {
  return a.batch == b.batch && a.x == b.x && a.y == b.y && a.z == b.z;
}
GRASPPANDA_HOST_DEVICE inline bool operator!=(const Coordinate& a, const Coordinate& b) {
  return !(a == b);
}

GRASPPANDA_HOST_DEVICE inline std::uint64_t hash_of(const Coordinate& c) {
  const std::uint64_t low = static_cast<std::uint32_t>(c.x) |
                            static_cast<std::uint64_t>(static_cast<std::uint32_t>(c.y)) << 32;
  const std::uint64_t high = static_cast<std::uint32_t>(c.z) |
                             static_cast<std::uint64_t>(static_cast<std::uint32_t>(c.batch)) << 32;
  std::uint64_t hash = low * 0x9e3779b97f4a7c15ULL ^ (high + 0x7f4a7c15ULL) * 0xc2b2ae3d27d4eb4fULL;
  hash ^= hash >> 29;
  hash *= 0xbf58476d1ce4e5b9ULL;
  return hash ^ hash >> 32;
}

/// floor(value / step) * step, step > 0.
GRASPPANDA_HOST_DEVICE inline std::int32_t floor_to(std::int32_t value, std::int32_t step) {
  const std::int32_t rest = value % step;
  return value - (rest < 0 ? rest + step : rest);
}

/// The lowest corner of the cell of edge `step` in which a position lies.
GRASPPANDA_HOST_DEVICE inline Coordinate cell_of(const Coordinate& at, std::int32_t step) {
  return {at.batch, floor_to(at.x, step), floor_to(at.y, step), floor_to(at.z, step)};
}

/// Which of the 8 places of its cell of two steps a position takes: the offset of a kernel of
/// size 2, x fastest.
GRASPPANDA_HOST_DEVICE inline int place_in_cell(const Coordinate& at, const Coordinate& cell) {
  return (at.x != cell.x ? 1 : 0) + (at.y != cell.y ? 2 : 0) + (at.z != cell.z ? 4 : 0);
}

/// Offset `j` of a kernel of `size`, in steps of the input's tensor stride, x fastest. Odd sizes
/// are centred, even ones begin at 0.
struct KernelOffset {
  std::int32_t x, y, z;
};
GRASPPANDA_HOST_DEVICE inline KernelOffset kernel_offset(int j, int size) {
  const int centre = size % 2 == 1 ? (size - 1) / 2 : 0;
  return {j % size - centre, j / size % size - centre, j / (size * size) - centre};
}

/// `at` moved by an offset. False where that leaves the range of positions.
GRASPPANDA_HOST_DEVICE inline bool step_by(Coordinate& at, const KernelOffset& by,
                                           std::int32_t stride) {
  const std::int64_t x = at.x + std::int64_t{by.x} * stride, y = at.y + std::int64_t{by.y} * stride,
                     z = at.z + std::int64_t{by.z} * stride;
  constexpr std::int64_t most = kLargestPosition;
  if (x < -most || x > most || y < -most || y > most || z < -most || z > most) return false;
  at = {at.batch, static_cast<std::int32_t>(x), static_cast<std::int32_t>(y),
        static_cast<std::int32_t>(z)};
  return true;
}

/// A hash table of rows on a device: open addressing, at most half full. A slot is 0, or the upper
/// half of the hash of a coordinate above its row + 1: whether a row is the one that is looked for
/// then takes a look at the row itself, and no position is too large to be packed.
using RowSlot = unsigned long long;
GRASPPANDA_HOST_DEVICE inline RowSlot row_slot(std::uint64_t hash, std::int32_t row) {
  return static_cast<RowSlot>(hash >> 32) << 32 | static_cast<std::uint32_t>(row + 1);
}
GRASPPANDA_HOST_DEVICE inline std::int32_t row_of(RowSlot slot) {
  return static_cast<std::int32_t>(slot & 0xffffffffULL) - 1;
}
GRASPPANDA_HOST_DEVICE inline bool same_tag(RowSlot a, RowSlot b) {
  return (a ^ b) >> 32 == 0;
}

/// A power of two, at least twice as many as there are rows.
GRASPPANDA_HOST_DEVICE inline std::int64_t slots_for(std::int64_t rows) {
  std::int64_t slots = 64;
  while (slots < 2 * rows) slots *= 2;
  return slots;
}

/// The row at `where`, or -1.
GRASPPANDA_HOST_DEVICE inline std::int32_t find_row(const RowSlot* slots, std::int64_t slot_count,
                                                    const Coordinate* coords,
                                                    const Coordinate& where) {
  const std::uint64_t hash = hash_of(where), mask = static_cast<std::uint64_t>(slot_count) - 1;
  const RowSlot wanted = row_slot(hash, 0);
  for (std::uint64_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const RowSlot held = slots[slot];
    if (held == 0) return -1;
    if (same_tag(held, wanted) && coords[row_of(held)] == where) return row_of(held);
  }
}

}  // namespace grasppanda::ops
