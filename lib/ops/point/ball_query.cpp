#include "lib/ops/point/ball_query.h"

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {

Neighbourhood ball_query(const at::Tensor& query, const at::Tensor& support, double radius,
                         int64_t nsample) {
  require_query_and_support("ball_query", query, support);
  require_radius("ball_query", radius);
  require_nsample("ball_query", nsample);
  return ball_query_reference(query, support, radius, nsample, sum_order_on(query.device()));
}

}  // namespace grasppanda::ops
