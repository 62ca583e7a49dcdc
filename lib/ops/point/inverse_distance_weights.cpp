#include "lib/ops/point/inverse_distance_weights.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {
namespace {

void require_neighbours(std::string_view op, std::string_view argument, const at::Tensor& tensor) {
  if (!tensor.defined()) refuse_argument(op, argument, "is missing", "a tensor (B, N, K)");
  if (tensor.dim() != 3 || tensor.size(2) < 1)
    refuse_argument(op, argument, "has shape " + shape_text(tensor), "(B, N, K) with K >= 1");
  if (!tensor.is_floating_point())
    refuse_argument(op, argument, "is " + std::string(c10::toString(tensor.scalar_type())),
                    "a floating type");
}

// Adds column after column: sum(-1) would choose an order of its own for K > 3.
at::Tensor divided_by_sum(const at::Tensor& weight) {
  at::Tensor sum = weight.select(2, 0);
  for (int64_t neighbour = 1; neighbour < weight.size(2); ++neighbour)
    sum = sum.add(weight.select(2, neighbour));
  return weight.div(sum.unsqueeze(2));
}

}  // namespace

at::Tensor inverse_distance_weights(const at::Tensor& distance) {
  require_neighbours("inverse_distance_weights", "distance", distance);
  return divided_by_sum(distance.add(1e-8).reciprocal_());
}

at::Tensor inverse_squared_distance_weights(const at::Tensor& squared) {
  require_neighbours("inverse_squared_distance_weights", "squared", squared);
  return divided_by_sum(squared.clamp_min(1e-16).reciprocal());
}

}  // namespace grasppanda::ops
