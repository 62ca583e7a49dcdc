// A value per (query, support point), searched block by block. Comparing every value and listing
// the true ones costs LibTorch three times what computing a squared distance costs; the minimum of
// a block of neighbouring points is cheap and rules out most blocks at once. Exact: a minimum does
// not round.
#pragma once

#include <ATen/core/Tensor.h>

#include "lib/ops/point/query_chunks.h"

namespace grasppanda::ops {

inline constexpr int64_t kBlock = 32;  // support points per block

/// A field of `rows` queries over `points` support points, rounded up to whole blocks, in slot 0 of
/// `scratch`; the entries past the last point are +inf. Fill `field.narrow(1, 0, points)`.
at::Tensor empty_field(ChunkScratch& scratch, int64_t rows, int64_t points,
                       const at::TensorOptions& options);

/// The minimum of every block, (rows, blocks). NaN entries of `field` become +inf first when there
/// are any: a comparison with NaN is false, a minimum with NaN would hide its block.
at::Tensor block_minima(at::Tensor& field);

/// Hits are entries strictly below `threshold`. Writes the first hits of every row in ascending
/// order to `index` (rows, nsample) and min(hits, nsample) to `count` (rows); unused slots repeat
/// the first hit, a row without hits becomes 0.
void write_first_hits(at::Tensor field, const at::Tensor& threshold, at::Tensor index,
                      at::Tensor count);

}  // namespace grasppanda::ops
