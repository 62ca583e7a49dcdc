// Numbers for the occupied cells of a lattice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace grasppanda::ops {

using Cell = std::array<int32_t, 3>;

/// Numbers cells 0, 1, 2, ... in the order in which they first appear. Open addressing, at most
/// half full: mostly one look at the table and one at the cell.
class CellNumbers {
 public:
  static uint64_t hash_of(const Cell& cell) {
    uint64_t hash = (static_cast<uint32_t>(cell[0]) |
                     static_cast<uint64_t>(static_cast<uint32_t>(cell[1])) << 32) *
                    0x9e3779b97f4a7c15u;
    hash ^= static_cast<uint32_t>(cell[2]) * 0xc2b2ae3d27d4eb4fu;
    hash ^= hash >> 29;
    hash *= 0xbf58476d1ce4e5b9u;
    return hash ^ hash >> 32;
  }

  std::size_t size() const { return cells_.size(); }

  /// Brings what `number` will look at on its way.
  void prefetch(uint64_t hash) const { __builtin_prefetch(&slots_[hash & mask_]); }
  /// The number that probably is the cell's, or -1: what it indexes can be on its way, too.
  int32_t guess(uint64_t hash) const { return slots_[hash & mask_].number; }

  /// The number of a cell, a new one if need be.
  int32_t number(const Cell& cell, uint64_t hash) {
    const uint64_t slot = slot_of(cell, hash);
    if (slots_[slot].number >= 0) return slots_[slot].number;
    const auto number = static_cast<int32_t>(cells_.size());
    slots_[slot] = {tag_of(hash), number};
    cells_.push_back(cell);
    if (2 * cells_.size() > slots_.size()) grow();
    return number;
  }
  /// Its number, or -1.
  int32_t find(const Cell& cell) const { return slots_[slot_of(cell, hash_of(cell))].number; }

 private:
  struct Slot {
    uint32_t tag = 0;
    int32_t number = -1;
  };
  static uint32_t tag_of(uint64_t hash) { return static_cast<uint32_t>(hash >> 32); }

  /// Where the cell is, or would be.
  uint64_t slot_of(const Cell& cell, uint64_t hash) const {
    for (uint64_t slot = hash & mask_;; slot = (slot + 1) & mask_) {
      const Slot& held = slots_[slot];
      if (held.number < 0 ||
          (held.tag == tag_of(hash) && cells_[static_cast<std::size_t>(held.number)] == cell))
        return slot;
    }
  }
  void grow() {
    std::vector<Slot> larger(2 * slots_.size());
    mask_ = larger.size() - 1;
    for (std::size_t number = 0; number < cells_.size(); ++number) {
      const uint64_t hash = hash_of(cells_[number]);
      uint64_t slot = hash & mask_;
      while (larger[slot].number >= 0) slot = (slot + 1) & mask_;
      larger[slot] = {tag_of(hash), static_cast<int32_t>(number)};
    }
    slots_.swap(larger);
  }

  std::vector<Slot> slots_{std::vector<Slot>(1024)};
  std::vector<Cell> cells_;
  uint64_t mask_ = 1023;
};

}  // namespace grasppanda::ops
