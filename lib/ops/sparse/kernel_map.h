// Which input row meets which output row under which weight: built once, shared by every layer of
// equal coordinates and kernel.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "lib/ops/sparse/coordinate_map.h"

namespace grasppanda::ops {

/// Which input row an output row takes under each kernel offset, in one of two forms: the CPU's
/// kernels read pairs, those of a CUDA device a table.
struct KernelMap {
  std::int64_t in_rows = 0, out_rows = 0;
  // Pairs, offset after offset; within one an output row occurs at most once, and output rows
  // ascend. CPU.
  std::vector<std::int64_t> first;  // K + 1: pairs first[j] .. first[j + 1] - 1 are of offset j
  at::Tensor in, out;               // (pairs,) int32
  // A table, where there are no pairs.
  at::Tensor source;  // (K, out_rows) int32: the input row, or -1
  at::Tensor order;   // (out_rows,) int32, or undefined: output rows with like offsets together

  bool one_pair_a_row = false;  // known: every output row occurs in exactly one pair

  std::int64_t offsets() const {
    return source.defined() ? source.size(0) : static_cast<std::int64_t>(first.size()) - 1;
  }
};
using SharedKernelMap = std::shared_ptr<const KernelMap>;

/// (size^3, 3) int32: the position of each offset in steps of the input's tensor stride, x fastest.
/// Odd sizes are centred, size 2 covers 0 and +1: MinkowskiEngine's order of kernel weights.
at::Tensor kernel_offsets(std::int64_t size);

/// Stride 1: every row meets the rows around it. Size 1, 3 or 5; ArgumentError for another.
SharedKernelMap neighbour_map(const CoordinateMap& map, std::int64_t size);
/// One for each of several sizes, for less than one by one.
std::vector<SharedKernelMap> neighbour_maps(const CoordinateMap& map,
                                            const std::vector<std::int64_t>& sizes);

/// Every row on its own, size 1; with `in_row` (N,) int64, output row i takes input row in_row[i].
SharedKernelMap pointwise_map(std::int64_t rows);
SharedKernelMap pointwise_map(const at::Tensor& in_row);  // on the CPU pairs, elsewhere a table

/// The pairs of one offset, output rows ascending, where the map lies.
struct OffsetPairs {
  at::Tensor in, out;  // (pairs,), integers
};
OffsetPairs pairs_of(const KernelMap& map, std::int64_t offset);
std::int64_t pair_count(const KernelMap& map);
/// The map as a table (K, out_rows) int32 on a device, whichever form it has.
at::Tensor source_table(const KernelMap& map, c10::Device device);

/// Stride 2 with size 2. The coarse rows are the cells of twice the tensor stride, floor towards
/// minus infinity, in the order in which their first fine row appears.
struct Halving {
  std::shared_ptr<const CoordinateMap> coarse;
  SharedKernelMap down;  // convolution: fine rows in, coarse rows out
  SharedKernelMap up;    // transposed convolution: coarse rows in, fine rows out, one pair a row
};
Halving halve(const CoordinateMap& fine);
/// The same with the coarse rows given, in their order. Throws ArgumentError when they are not the
/// cells of the fine ones.
Halving halve(const CoordinateMap& fine, std::shared_ptr<const CoordinateMap> coarse);

}  // namespace grasppanda::ops
