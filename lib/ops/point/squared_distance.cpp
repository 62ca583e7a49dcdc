#include "lib/ops/point/squared_distance.h"

#include <ATen/ATen.h>

#include <array>

namespace grasppanda::ops {

at::Tensor squared_distances(const at::Tensor& queries, const at::Tensor& axes) {
  const std::array<int64_t, 3> order =
      axes.is_cuda() ? std::array<int64_t, 3>{0, 2, 1} : std::array<int64_t, 3>{0, 1, 2};
  at::Tensor sum, term;
  for (const int64_t axis : order) {
    term = axis == 0 ? at::sub(queries.select(1, axis).unsqueeze(1), axes.select(0, axis))
                     : at::sub_out(term, queries.select(1, axis).unsqueeze(1), axes.select(0, axis));
    if (axis == 0)
      sum = term.mul(term);
    else
      sum.add_(term.mul_(term));
  }
  return sum;
}

at::Tensor rounded_threshold(double value, const at::Tensor& like) {
  // By way of a double tensor: a plain number that overflows the type would be refused.
  return at::scalar_tensor(value, at::kDouble).to(like.options());
}

}  // namespace grasppanda::ops
