#include <ATen/ATen.h>

#include "lib/ops/point/ball_query.h"
#include "lib/ops/point/blocked_field.h"
#include "lib/ops/point/query_chunks.h"

namespace grasppanda::ops {

Neighbourhood ball_query_reference(const at::Tensor& query, const at::Tensor& support,
                                   double radius, int64_t nsample, SumOrder order) {
  const int64_t points = support.size(1);
  Neighbourhood found = empty_neighbourhood(query, nsample);
  if (points == 0) return found;
  const at::Tensor axes = support.detach().transpose(1, 2).contiguous();
  const at::Tensor threshold = rounded_threshold(radius * radius, query);
  for_each_query_chunk(query, support, [&](const QueryChunk& chunk, ChunkScratch& scratch) {
    at::Tensor squared = empty_field(scratch, chunk.rows, points, query.options());
    write_squared_distances(chunk.of(query.detach()), axes[chunk.batch], order,
                            squared.narrow(1, 0, points),
                            scratch.take(1, {chunk.rows, points}, query.options()));
    write_first_hits(squared, threshold, chunk.of(found.index), chunk.of(found.count));
  });
  return found;
}

}  // namespace grasppanda::ops
