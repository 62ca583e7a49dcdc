#include "lib/ops/sparse/neighbour_walk.h"

#include <cstdlib>

namespace grasppanda::ops {
namespace {

constexpr int kCells = CoordinateMap::kBrickCells;

std::array<int, 3> axes_of(int cell) {
  return {cell & 3, cell >> 2 & 3, cell >> 4};
}

}  // namespace

KernelReach::KernelReach(int size) {
  const int half = size / 2;
  const auto number = [size](int x, int y, int z) { return x + size * (y + size * z); };
  for (int cell = 0; cell < kCells; ++cell) {
    const std::array<int, 3> at = axes_of(cell);
    part[static_cast<std::size_t>(cell)] = number(at[0], at[1], at[2]);
    for (int n = 0; n < 27; ++n) {
      // The brick's first cell as seen from this one.
      const std::array<int, 3> corner = {4 * (n % 3 - 1) - at[0], 4 * (n / 3 % 3 - 1) - at[1],
                                         4 * (n / 9 - 1) - at[2]};
      Window window{static_cast<std::size_t>(n),
                    number(corner[0] + half, corner[1] + half, corner[2] + half), 0};
      for (int other = 0; other < kCells; ++other) {
        const std::array<int, 3> there = axes_of(other);
        bool reached = true;
        for (std::size_t axis = 0; axis < 3; ++axis)
          reached = reached && std::abs(corner[axis] + there[axis]) <= half;
        window.cells |= std::uint64_t{reached} << other;
      }
      if (window.cells != 0) windows[static_cast<std::size_t>(cell)].push_back(window);
    }
  }
}

const KernelReach& KernelReach::of(std::int64_t size) {
  static const KernelReach one(1), three(3), five(5);
  return size == 1 ? one : size == 3 ? three : five;
}

NeighbourWalk::NeighbourWalk(const CoordinateMap& map)
    : map_(map), around_(map.brick_neighbours()), occupied_(map.bricks().size() + 1, 0) {
  for (std::size_t brick = 0; brick < map.bricks().size(); ++brick)
    for (std::size_t cell = 0; cell < kCells; ++cell)
      occupied_[brick] |= std::uint64_t{map.bricks()[brick][cell] >= 0} << cell;
}

}  // namespace grasppanda::ops
