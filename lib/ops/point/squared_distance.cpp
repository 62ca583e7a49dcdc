#include "lib/ops/point/squared_distance.h"

#include <ATen/ATen.h>

#include <array>

namespace grasppanda::ops {

SumOrder sum_order_on(const at::Device& device) {
  return device.is_cuda() ? SumOrder::middle_last : SumOrder::left_to_right;
}

void write_squared_distances(const at::Tensor& queries, const at::Tensor& axes, SumOrder order,
                             at::Tensor squared, at::Tensor term) {
  const std::array<int64_t, 2> later =
      order == SumOrder::middle_last ? std::array<int64_t, 2>{2, 1} : std::array<int64_t, 2>{1, 2};
  const auto column = [&](int64_t axis) { return queries.select(1, axis).unsqueeze(1); };
  at::sub_out(squared, column(0), axes[0]);
  squared.mul_(squared);
  for (const int64_t axis : later) {
    at::sub_out(term, column(axis), axes[axis]);
    squared.add_(term.mul_(term));
  }
}

at::Tensor rounded_threshold(double value, const at::Tensor& like) {
  // By way of a double tensor: a plain number that overflows the type would be refused.
  return at::scalar_tensor(value, at::kDouble).to(like.options());
}

}  // namespace grasppanda::ops
