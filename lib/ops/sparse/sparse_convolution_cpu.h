// The CPU kernel of sparse_convolution on plain memory.
#pragma once

#include <cstdint>

namespace grasppanda::ops {

inline constexpr std::int64_t kPanelColumns = 32;

/// Arguments of sparse_convolution, checked. Rows of `in` and `out` lie `*_stride` floats apart.
/// `packed` is (panels, offsets, depth, 32): the columns of the weights in panels, the last one
/// filled up with zeros.
struct SparseProduct {
  const float* in;
  std::int64_t in_stride;
  float* out;
  std::int64_t out_stride, out_rows;
  const float* packed;
  std::int64_t depth, columns, offsets;
  const std::int64_t* first;  // offsets + 1: pairs of each offset, output rows ascending
  const std::int32_t* in_row;
  const std::int32_t* out_row;
  const float* bias;  // or null
  bool add, relu;
  bool one_pair_a_row;  // every output row occurs in exactly one pair
};

/// Blocks of output rows by panels of columns, each worked by one thread from the first offset to
/// the last: no other thread writes to it, and the sums do not depend on how the work is split.
void sparse_convolution_cpu(const SparseProduct& product, int threads);

}  // namespace grasppanda::ops
