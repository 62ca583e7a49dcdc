#include "lib/ops/point/ball_query.h"

#include "lib/ops/argument_check.h"
#include "lib/ops/point/cpu_kernels.h"
#include "lib/ops/point/cuda_kernels.h"

namespace grasppanda::ops {

Neighbourhood ball_query(const at::Tensor& query, const at::Tensor& support, double radius,
                         int64_t nsample) {
  require_cloud("ball_query", "query", query);
  return ball_query(query, support, radius, nsample, sum_order_on(query.device()));
}

Neighbourhood ball_query(const at::Tensor& query, const at::Tensor& support, double radius,
                         int64_t nsample, SumOrder order) {
  require_query_and_support("ball_query", query, support);
  require_radius("ball_query", radius);
  require_nsample("ball_query", nsample);
  require_result_size("ball_query", "nsample", nsample, query.size(0) * query.size(1));
  return ball_query_kernels().run(query.device(), query, support, radius, nsample, order);
}

KernelList<BallQueryFn>& ball_query_kernels() {
  static KernelList<BallQueryFn> list("ball_query",
                                      {cuda_kernels().ball_query,
                                       ball_query_cpu_kernel(),
                                       {kReference, {}, {}, ball_query_reference}},
                                      check_ball_query);
  return list;
}

}  // namespace grasppanda::ops
