#include "lib/ops/point/knn.h"

#include <ATen/ATen.h>
#include <c10/core/GradMode.h>

#include <string>

#include "lib/ops/argument_check.h"
#include "lib/ops/point/cpu_kernels.h"
#include "lib/ops/point/cuda_kernels.h"

namespace grasppanda::ops {
namespace {

bool records_gradient(const at::Tensor& query, const at::Tensor& support) {
  return c10::GradMode::is_enabled() && (query.requires_grad() || support.requires_grad());
}

// The squared distances once more, from the pairs that were found: the same steps in the same
// order, so the same bits, but seen by autograd.
at::Tensor differentiable_squares(const at::Tensor& query, const at::Tensor& support,
                                  const at::Tensor& index, SumOrder order) {
  const auto shape = index.sizes();
  const at::Tensor flat = index.flatten(1).unsqueeze(2).expand({-1, -1, 3});
  const at::Tensor neighbours = support.gather(1, flat).view({shape[0], shape[1], shape[2], 3});
  const at::Tensor offset = query.unsqueeze(2).sub(neighbours);
  const auto terms = offset.mul(offset).unbind(3);
  return order == SumOrder::left_to_right ? terms[0].add(terms[1]).add(terms[2])
                                          : terms[0].add(terms[2]).add(terms[1]);
}

}  // namespace

NearestNeighbours knn(const at::Tensor& query, const at::Tensor& support, int64_t k) {
  require_cloud("knn", "query", query);
  return knn(query, support, k, sum_order_on(query.device()));
}

NearestNeighbours knn(const at::Tensor& query, const at::Tensor& support, int64_t k,
                      SumOrder order) {
  require_query_and_support("knn", query, support);
  if (k < 1) refuse_argument("knn", "k", "is " + std::to_string(k), ">= 1");
  if (k > support.size(1))
    refuse_argument("knn", "k", "is " + std::to_string(k),
                    "at most the " + std::to_string(support.size(1)) + " points of support");
  SquaredNeighbours found = knn_kernels().run(query.device(), query, support, k, order);
  if (records_gradient(query, support))
    found.squared = differentiable_squares(query, support, found.index, order);
  return {found.squared.sqrt(), found.squared, found.index};
}

KernelList<KnnFn>& knn_kernels() {
  static KernelList<KnnFn> list(
      "knn", {cuda_kernels().knn, knn_cpu_kernel(), {kReference, {}, {}, knn_reference}},
      check_knn);
  return list;
}

}  // namespace grasppanda::ops
