#include <ATen/ATen.h>

#include <limits>

#include "lib/ops/point/blocked_field.h"
#include "lib/ops/point/knn.h"
#include "lib/ops/point/query_chunks.h"

namespace grasppanda::ops {
namespace {

// The definition: a stable sort, so that equal distances keep index order and NaN comes last.
SquaredNeighbours sorted_neighbours(const at::Tensor& squared, int64_t k) {
  const auto [sorted, order] = squared.sort(/*stable=*/true, /*dim=*/-1, /*descending=*/false);
  return {sorted.narrow(1, 0, k), order.narrow(1, 0, k)};
}

// The same without sorting whole rows. Each of the k smallest block minima is a distance, so the
// k-th of them bounds the k-th distance from above; only entries up to that bound are sorted, in
// index order and stably. Needs at least k blocks and a field without NaN.
SquaredNeighbours pruned_neighbours(const at::Tensor& field, const at::Tensor& minima, int64_t k) {
  const int64_t rows = field.size(0), blocks_per_row = minima.size(1);
  const at::Tensor bound = std::get<0>(minima.topk(k, 1, /*largest=*/false)).amax(1);
  const at::Tensor blocks = minima.le(bound.unsqueeze(1)).view({-1}).nonzero().squeeze(1);
  const at::Tensor block_row = blocks.div(blocks_per_row, "floor");
  const at::Tensor entries = field.view({-1, kBlock}).index_select(0, blocks);
  const at::Tensor inside =
      entries.le(bound.index_select(0, block_row).unsqueeze(1)).view({-1}).nonzero().squeeze(1);
  const at::Tensor block = inside.div(kBlock, "floor");
  const at::Tensor row = block_row.index_select(0, block);
  const at::Tensor index = blocks.index_select(0, block)
                               .sub_(row.mul(blocks_per_row))
                               .mul_(kBlock)
                               .add_(inside.remainder(kBlock));

  // One line per row, padded with +inf; the padding stands behind, so a stable sort leaves it
  // there.
  const at::Tensor row_start = at::searchsorted(row, at::arange(rows + 1, row.options()));
  const at::Tensor first = row_start.narrow(0, 0, rows);
  const int64_t longest = row_start.diff().max().item<int64_t>();
  const at::Tensor slot = at::arange(row.numel(), row.options())
                              .sub_(first.index_select(0, row))
                              .add_(row.mul(longest));
  const at::Tensor distance =
      at::full({rows * longest}, std::numeric_limits<double>::infinity(), field.options())
          .index_copy_(0, slot, entries.view({-1}).index_select(0, inside))
          .view({rows, longest});
  const at::Tensor place =
      at::zeros({rows * longest}, row.options()).index_copy_(0, slot, index).view({rows, longest});
  const SquaredNeighbours nearest = sorted_neighbours(distance, k);
  return {nearest.squared, place.gather(1, nearest.index)};
}

}  // namespace

SquaredNeighbours knn_reference(const at::Tensor& query, const at::Tensor& support, int64_t k,
                                SumOrder order) {
  const int64_t batches = query.size(0), queries = query.size(1), points = support.size(1);
  SquaredNeighbours found{at::empty({batches, queries, k}, query.options()),
                          at::empty({batches, queries, k}, query.options().dtype(at::kLong))};
  const at::Tensor axes = support.detach().transpose(1, 2).contiguous();
  for_each_query_chunk(query, support, [&](const QueryChunk& chunk, ChunkScratch& scratch) {
    const at::Tensor field = empty_field(scratch, chunk.rows, points, query.options());
    const at::Tensor squared = field.narrow(1, 0, points);
    write_squared_distances(chunk.of(query.detach()), axes[chunk.batch], order, squared,
                            scratch.take(1, {chunk.rows, points}, query.options()));
    const at::Tensor minima = field.view({chunk.rows, -1, kBlock}).amin(2);
    const bool prune = minima.size(1) >= 2 * k && !minima.isnan().any().item<bool>();
    const SquaredNeighbours nearest =
        prune ? pruned_neighbours(field, minima, k) : sorted_neighbours(squared, k);
    chunk.of(found.squared).copy_(nearest.squared);
    chunk.of(found.index).copy_(nearest.index);
  });
  return found;
}

}  // namespace grasppanda::ops
