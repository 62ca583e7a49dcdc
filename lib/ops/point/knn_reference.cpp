#include <ATen/ATen.h>

#include "lib/ops/point/knn.h"
#include "lib/ops/point/query_chunks.h"
#include "lib/ops/point/squared_distance.h"

namespace grasppanda::ops {

SquaredNeighbours knn_reference(const at::Tensor& query, const at::Tensor& support, int64_t k) {
  const int64_t batches = query.size(0), queries = query.size(1);
  SquaredNeighbours found{at::empty({batches, queries, k}, query.options()),
                          at::empty({batches, queries, k}, query.options().dtype(at::kLong))};
  const at::Tensor axes = support.detach().transpose(1, 2).contiguous();
  for_each_query_chunk(query, support, [&](const QueryChunk& chunk) {
    const at::Tensor rows = query.detach()[chunk.batch].narrow(0, chunk.first, chunk.rows);
    const at::Tensor squared = squared_distances(rows, axes[chunk.batch]);
    const auto [sorted, order] = squared.sort(/*stable=*/true, /*dim=*/-1, /*descending=*/false);
    found.squared[chunk.batch].narrow(0, chunk.first, chunk.rows).copy_(sorted.narrow(1, 0, k));
    found.index[chunk.batch].narrow(0, chunk.first, chunk.rows).copy_(order.narrow(1, 0, k));
  });
  return found;
}

}  // namespace grasppanda::ops
