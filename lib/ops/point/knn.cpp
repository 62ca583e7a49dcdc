#include "lib/ops/point/knn.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {

NearestNeighbours knn(const at::Tensor& query, const at::Tensor& support, int64_t k) {
  require_query_and_support("knn", query, support);
  if (k < 1) refuse_argument("knn", "k", "is " + std::to_string(k), ">= 1");
  if (k > support.size(1))
    refuse_argument("knn", "k", "is " + std::to_string(k),
                    "at most the " + std::to_string(support.size(1)) + " points of support");
  const SquaredNeighbours found = knn_reference(query, support, k, sum_order_on(query.device()));
  return {found.squared.sqrt(), found.squared, found.index};
}

}  // namespace grasppanda::ops
