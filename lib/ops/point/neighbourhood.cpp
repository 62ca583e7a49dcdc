#include "lib/ops/point/neighbourhood.h"

#include <ATen/ATen.h>

namespace grasppanda::ops {

Neighbourhood empty_neighbourhood(const at::Tensor& query, int64_t nsample) {
  const auto options = at::TensorOptions(query.device()).dtype(at::kLong);
  return {at::zeros({query.size(0), query.size(1), nsample}, options),
          at::zeros({query.size(0), query.size(1)}, options)};
}

}  // namespace grasppanda::ops
