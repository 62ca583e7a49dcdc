#include <ATen/ATen.h>

#include <array>

#include "lib/ops/point/blocked_field.h"
#include "lib/ops/point/cylinder_query.h"
#include "lib/ops/point/query_chunks.h"
#include "lib/ops/point/squared_distance.h"

namespace grasppanda::ops {
namespace {

struct Cylinder {
  at::Tensor square_radius, hmin, hmax;  // rounded, without axes
};

// Negative exactly inside. The signs of the three differences are those of the comparisons d.x >
// hmin, d.x < hmax and d.y^2 + d.z^2 < r^2: a difference of floating-point numbers is 0 only for
// equal ones. NaN (also inf - inf, where the comparison is false) spreads through the maxima.
void write_outsideness(const at::Tensor& rotated, const Cylinder& cylinder, at::Tensor field) {
  const at::Tensor x = rotated.select(1, 0);
  at::Tensor y = rotated.select(1, 1), z = rotated.select(1, 2);
  y.mul_(y).add_(z.mul_(z)).sub_(cylinder.square_radius);
  at::sub_out(z, cylinder.hmin, x);
  at::maximum_out(y, y, z);
  at::sub_out(z, x, cylinder.hmax);
  at::maximum_out(field, y, z);
}

}  // namespace

Neighbourhood cylinder_query_reference(const at::Tensor& query, const at::Tensor& support,
                                       const at::Tensor& rotation, double radius, double hmin,
                                       double hmax, int64_t nsample) {
  const int64_t points = support.size(1);
  Neighbourhood found = empty_neighbourhood(query, nsample);
  if (points == 0) return found;
  const at::Tensor axes = support.detach().transpose(1, 2).contiguous();
  const Cylinder cylinder{rounded_threshold(radius * radius, query), rounded_threshold(hmin, query),
                          rounded_threshold(hmax, query)};
  const at::Tensor zero = at::zeros({}, query.options());
  for_each_query_chunk(query, support, [&](const QueryChunk& chunk, ChunkScratch& scratch) {
    const std::array<int64_t, 3> shape{chunk.rows, 3, points};
    at::Tensor offset = scratch.take(1, shape, query.options());
    at::sub_out(offset, axes[chunk.batch].unsqueeze(0), chunk.of(query.detach()).unsqueeze(2));
    // transposed(R) times (3, N) instead of (N, 3) times R: the same products and sums with the
    // points side by side in memory, three times faster.
    at::Tensor rotated = scratch.take(2, shape, query.options());
    at::bmm_out(rotated, chunk.of(rotation.detach()).transpose(1, 2).contiguous(), offset);
    at::Tensor field = empty_field(scratch, chunk.rows, points, query.options());
    write_outsideness(rotated, cylinder, field.narrow(1, 0, points));
    write_first_hits(field, zero, chunk.of(found.index), chunk.of(found.count));
  });
  return found;
}

}  // namespace grasppanda::ops
