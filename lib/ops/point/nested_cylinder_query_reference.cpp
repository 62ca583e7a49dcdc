#include <ATen/ATen.h>

#include "lib/ops/point/cylinder_query.h"
#include "lib/ops/point/nested_cylinder_query.h"

namespace grasppanda::ops {

Neighbourhood nested_cylinder_query_reference(const at::Tensor& query, const at::Tensor& support,
                                              const at::Tensor& rotation, double radius,
                                              double hmin, const std::vector<double>& hmax,
                                              int64_t nsample) {
  std::vector<at::Tensor> index, count;
  for (const double end : hmax) {
    const Neighbourhood found =
        cylinder_query_reference(query, support, rotation, radius, hmin, end, nsample);
    index.push_back(found.index);
    count.push_back(found.count);
  }
  return {at::stack(index, 1), at::stack(count, 1)};
}

}  // namespace grasppanda::ops
