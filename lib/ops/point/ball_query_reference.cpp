#include <ATen/ATen.h>

#include "lib/ops/point/ball_query.h"
#include "lib/ops/point/first_hits.h"
#include "lib/ops/point/query_chunks.h"
#include "lib/ops/point/squared_distance.h"

namespace grasppanda::ops {

Neighbourhood ball_query_reference(const at::Tensor& query, const at::Tensor& support,
                                   double radius, int64_t nsample) {
  const auto index_type = query.options().dtype(at::kLong);
  Neighbourhood found{at::zeros({query.size(0), query.size(1), nsample}, index_type),
                      at::zeros({query.size(0), query.size(1)}, index_type)};
  if (support.size(1) == 0) return found;
  const at::Tensor axes = support.detach().transpose(1, 2).contiguous();
  const at::Tensor threshold = rounded_threshold(radius * radius, query);
  for_each_query_chunk(query, support, [&](const QueryChunk& chunk) {
    const at::Tensor queries = query.detach()[chunk.batch].narrow(0, chunk.first, chunk.rows);
    const at::Tensor hit = squared_distances(queries, axes[chunk.batch]).lt(threshold);
    write_first_hits(hit, found.index[chunk.batch].narrow(0, chunk.first, chunk.rows),
                     found.count[chunk.batch].narrow(0, chunk.first, chunk.rows));
  });
  return found;
}

}  // namespace grasppanda::ops
