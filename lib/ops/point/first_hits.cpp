#include "lib/ops/point/first_hits.h"

#include <ATen/ATen.h>

namespace grasppanda::ops {

void write_first_hits(const at::Tensor& hit, at::Tensor index, at::Tensor count) {
  const int64_t rows = hit.size(0), points = hit.size(1), nsample = index.size(1);
  const at::Tensor found = hit.reshape({-1}).nonzero().squeeze(1);
  if (found.numel() == 0) {
    index.zero_();
    count.zero_();
    return;
  }
  // `found` ascends, so the hits of a row are the stretch between two row starts.
  const at::Tensor row_start = at::arange(rows + 1, found.options()).mul_(points);
  const at::Tensor bound = at::searchsorted(found, row_start);
  const at::Tensor first = bound.narrow(0, 0, rows);
  const at::Tensor hits = bound.narrow(0, 1, rows).sub(first).clamp_max_(nsample);
  const at::Tensor slot = at::arange(nsample, found.options()).expand({rows, nsample});
  const at::Tensor past = slot.ge(hits.unsqueeze(1));
  const at::Tensor position =
      slot.masked_fill(past, 0).add_(first.unsqueeze(1)).clamp_max_(found.numel() - 1);
  at::Tensor picked = found.take(position).sub_(row_start.narrow(0, 0, rows).unsqueeze(1));
  index.copy_(picked.masked_fill_(hits.eq(0).unsqueeze(1), 0));
  count.copy_(hits);
}

}  // namespace grasppanda::ops
