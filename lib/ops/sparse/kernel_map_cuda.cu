// Kernel maps on a device: a hash table of rows, looked into by one thread for every row and
// offset.
#include "lib/ops/launch_cuda.h"
#include "lib/ops/sparse/coordinate.h"

namespace grasppanda::ops::device {
namespace {

constexpr unsigned kThreads = 256;

unsigned blocks_of(std::int64_t items) {
  return static_cast<unsigned>((items + kThreads - 1) / kThreads);
}
__device__ std::int64_t item_of_thread() {
  return std::int64_t{blockIdx.x} * kThreads + threadIdx.x;
}

struct Cells {
  const Coordinate* coords;
  std::int64_t rows;
  std::int32_t step;
  RowSlot* slots;
  std::int64_t slot_count;
  std::int32_t* first;
};

/// Whoever comes first takes a slot; of the rows of a cell the smallest stays. A slot that is taken
/// stays with its cell, so a value that was read late does no harm.
__global__ void __launch_bounds__(kThreads) insert_rows(Cells c) {
  const std::int64_t row = item_of_thread();
  if (row >= c.rows) return;
  const Coordinate cell = cell_of(c.coords[row], c.step);
  const std::uint64_t hash = hash_of(cell), mask = static_cast<std::uint64_t>(c.slot_count) - 1;
  const RowSlot mine = row_slot(hash, static_cast<std::int32_t>(row));
  for (std::uint64_t slot = hash & mask;; slot = (slot + 1) & mask) {
    const RowSlot held = atomicCAS(c.slots + slot, RowSlot{0}, mine);
    if (held == 0) return;
    if (!same_tag(held, mine) || cell_of(c.coords[row_of(held)], c.step) != cell) continue;
    atomicMin(c.slots + slot, mine);
    return;
  }
}

/// The first row of every row's cell, once all are inserted.
__global__ void __launch_bounds__(kThreads) find_first_rows(Cells c) {
  const std::int64_t row = item_of_thread();
  if (row >= c.rows) return;
  const Coordinate cell = cell_of(c.coords[row], c.step);
  const std::uint64_t hash = hash_of(cell), mask = static_cast<std::uint64_t>(c.slot_count) - 1;
  const RowSlot wanted = row_slot(hash, 0);
  std::uint64_t slot = hash & mask;
  while (!same_tag(c.slots[slot], wanted) ||
         cell_of(c.coords[row_of(c.slots[slot])], c.step) != cell)
    slot = (slot + 1) & mask;
  c.first[row] = row_of(c.slots[slot]);
}

struct Neighbours {
  const Coordinate* coords;
  std::int64_t rows;
  std::int32_t stride;
  int size, offsets;
  const RowSlot* slots;
  std::int64_t slot_count;
  std::int32_t* source;
};

__global__ void __launch_bounds__(kThreads) find_neighbours(Neighbours n) {
  const std::int64_t item = item_of_thread();
  if (item >= n.rows * n.offsets) return;
  const std::int64_t row = item % n.rows;
  Coordinate at = n.coords[row];
  const KernelOffset offset = kernel_offset(static_cast<int>(item / n.rows), n.size);
  n.source[item] =
      step_by(at, offset, n.stride) ? find_row(n.slots, n.slot_count, n.coords, at) : -1;
}

struct Halved {
  const Coordinate* coords;
  std::int64_t rows, coarse_rows;
  std::int32_t step;
  const std::int32_t *first, *number;
  Coordinate* coarse;
  std::int32_t *down, *up;
};

/// A thread for each fine row; the first of a cell writes the coarse row too.
__global__ void __launch_bounds__(kThreads) link_levels(Halved h) {
  const std::int64_t row = item_of_thread();
  if (row >= h.rows) return;
  const Coordinate at = h.coords[row], cell = cell_of(at, h.step);
  const std::int32_t first = h.first[row], parent = h.number[first] - 1;
  const int place = place_in_cell(at, cell);
  h.up[place * h.rows + row] = parent;
  h.down[place * h.coarse_rows + parent] = static_cast<std::int32_t>(row);
  if (first == row) h.coarse[parent] = cell;
}

const Coordinate* coordinates(const std::int32_t* coords) {
  return reinterpret_cast<const Coordinate*>(coords);
}

}  // namespace
}  // namespace grasppanda::ops::device

const char* grasppanda_cuda_cell_table(GrasppandaCudaPlace place, const std::int32_t* coords,
                                       std::int64_t rows, std::int32_t step,
                                       unsigned long long* slots, std::int64_t slot_count,
                                       std::int32_t* first) {
  using namespace grasppanda::ops::device;
  if (const Failure failure = use_device(place)) return failure;
  if (const Failure failure =
          clear(place, slots, static_cast<std::size_t>(slot_count) * sizeof(*slots)))
    return failure;
  if (rows == 0) return nullptr;
  const Cells cells{coordinates(coords), rows, step, slots, slot_count, first};
  if (const Failure failure = launch(place, insert_rows, blocks_of(rows), kThreads, cells))
    return failure;
  if (first == nullptr) return nullptr;
  return launch(place, find_first_rows, blocks_of(rows), kThreads, cells);
}

const char* grasppanda_cuda_neighbour_rows(GrasppandaCudaPlace place, const std::int32_t* coords,
                                           std::int64_t rows, std::int32_t stride, int size,
                                           const unsigned long long* slots, std::int64_t slot_count,
                                           std::int32_t* source) {
  using namespace grasppanda::ops::device;
  if (rows == 0) return nullptr;
  if (const Failure failure = use_device(place)) return failure;
  const int offsets = size * size * size;
  return launch(
      place, find_neighbours, blocks_of(rows * offsets), kThreads,
      Neighbours{coordinates(coords), rows, stride, size, offsets, slots, slot_count, source});
}

const char* grasppanda_cuda_link_levels(GrasppandaCudaPlace place, const std::int32_t* coords,
                                        std::int64_t rows, std::int32_t step,
                                        const std::int32_t* first, const std::int32_t* number,
                                        std::int64_t coarse_rows, std::int32_t* coarse,
                                        std::int32_t* down, std::int32_t* up) {
  using namespace grasppanda::ops::device;
  if (rows == 0) return nullptr;
  if (const Failure failure = use_device(place)) return failure;
  return launch(place, link_levels, blocks_of(rows), kThreads,
                Halved{coordinates(coords), rows, coarse_rows, step, first, number,
                       reinterpret_cast<grasppanda::ops::Coordinate*>(coarse), down, up});
}
