// The occupied cells around every row of a coordinate map.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "lib/ops/sparse/coordinate_map.h"

namespace grasppanda::ops {

/// What each cell of a brick reaches under a kernel of odd size.
struct KernelReach {
  explicit KernelReach(int size);
  /// That of size 1, 3 or 5, made once.
  static const KernelReach& of(std::int64_t size);

  /// Cells of one of the 27 bricks around, as bits; `first`: the number of the offset that leads to
  /// that brick's first cell.
  struct Window {
    std::size_t brick;
    int first;
    std::uint64_t cells;
  };
  std::array<std::vector<Window>, CoordinateMap::kBrickCells> windows;
  /// What a cell of the other brick adds to the number of the offset.
  std::array<int, CoordinateMap::kBrickCells> part;
};

/// Walks over bits that say which cells of a brick are occupied: what is empty costs nothing. The
/// map must live longer. May be shared between threads.
class NeighbourWalk {
 public:
  explicit NeighbourWalk(const CoordinateMap& map);

  /// Calls `visit(offset, neighbour)` for every neighbour of a row, itself included.
  template <class Visit>
  void neighbours_of(std::size_t row, const KernelReach& reach, const Visit& visit) const {
    const auto [brick, cell] = map_.places()[row];
    for (const KernelReach::Window& window : reach.windows[static_cast<std::size_t>(cell)]) {
      const auto there =
          static_cast<std::size_t>(around_[static_cast<std::size_t>(brick)][window.brick]);
      for (std::uint64_t cells = occupied_[there] & window.cells; cells != 0; cells &= cells - 1) {
        const auto found = static_cast<std::size_t>(std::countr_zero(cells));
        visit(static_cast<std::size_t>(window.first + reach.part[found]),
              map_.bricks()[there][found]);
      }
    }
  }

 private:
  const CoordinateMap& map_;
  std::vector<std::array<std::int32_t, 27>> around_;
  std::vector<std::uint64_t> occupied_;  // and an empty one, for what lies beyond
};

}  // namespace grasppanda::ops
