#include "lib/ops/point/blocked_field.h"

#include <ATen/ATen.h>

#include <limits>

namespace grasppanda::ops {
namespace {

// Where the first `limit` of each row's entries stand in `found`, an ascending list of flat
// positions in rows of `width`: place (rows, limit), taken (rows). Slots past `taken` name the
// row's first entry, or any entry where a row has none. `found` must not be empty.
struct FirstInRows {
  at::Tensor place;
  at::Tensor taken;
  at::Tensor unused;  // (rows, limit) bool
};

FirstInRows first_in_rows(const at::Tensor& found, int64_t rows, int64_t width, int64_t limit) {
  const at::Tensor bound =
      at::searchsorted(found, at::arange(rows + 1, found.options()).mul_(width));
  const at::Tensor first = bound.narrow(0, 0, rows);
  const at::Tensor taken = bound.narrow(0, 1, rows).sub(first).clamp_max_(limit);
  const at::Tensor slot = at::arange(limit, found.options()).expand({rows, limit});
  const at::Tensor unused = slot.ge(taken.unsqueeze(1));
  const at::Tensor place =
      slot.masked_fill(unused, 0).add_(first.unsqueeze(1)).clamp_max_(found.numel() - 1);
  return {place, taken, unused};
}

}  // namespace

at::Tensor empty_field(ChunkScratch& scratch, int64_t rows, int64_t points,
                       const at::TensorOptions& options) {
  const int64_t padded = (points + kBlock - 1) / kBlock * kBlock;
  at::Tensor field = scratch.take(0, {rows, padded}, options);
  if (padded > points)
    field.narrow(1, points, padded - points).fill_(std::numeric_limits<double>::infinity());
  return field;
}

at::Tensor block_minima(at::Tensor& field) {
  const auto minima = [&] { return field.view({field.size(0), -1, kBlock}).amin(2); };
  at::Tensor lowest = minima();
  if (!lowest.isnan().any().item<bool>()) return lowest;
  field = field.masked_fill(field.isnan(), std::numeric_limits<double>::infinity());
  return minima();
}

void write_first_hits(at::Tensor field, const at::Tensor& threshold, at::Tensor index,
                      at::Tensor count) {
  const int64_t rows = field.size(0), width = field.size(1), nsample = index.size(1);
  index.zero_();
  count.zero_();
  at::Tensor blocks = block_minima(field).lt(threshold).view({-1}).nonzero().squeeze(1);
  if (blocks.numel() == 0) return;
  // Every listed block holds a hit, so the first nsample blocks of a row hold all that it keeps.
  if (blocks.numel() > rows * nsample) {
    const FirstInRows kept = first_in_rows(blocks, rows, width / kBlock, nsample);
    blocks = blocks.take(kept.place).masked_select(kept.unused.logical_not());
  }
  const at::Tensor inside = field.view({-1, kBlock})
                                .index_select(0, blocks)
                                .lt(threshold)
                                .view({-1})
                                .nonzero()
                                .squeeze(1);
  const at::Tensor found = blocks.index_select(0, inside.bitwise_right_shift(5))
                               .mul_(kBlock)
                               .add_(inside.bitwise_and(kBlock - 1));
  static_assert(kBlock == 1 << 5);

  const FirstInRows kept = first_in_rows(found, rows, width, nsample);
  const at::Tensor row_start = at::arange(rows, found.options()).mul_(width).unsqueeze(1);
  index.copy_(
      found.take(kept.place).sub_(row_start).masked_fill_(kept.taken.eq(0).unsqueeze(1), 0));
  count.copy_(kept.taken);
}

}  // namespace grasppanda::ops
