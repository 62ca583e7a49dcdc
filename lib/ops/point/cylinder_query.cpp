#include "lib/ops/point/cylinder_query.h"

#include <cmath>

#include "lib/ops/argument_check.h"
#include "lib/ops/point/cpu_kernels.h"
#include "lib/ops/point/cuda_kernels.h"

namespace grasppanda::ops {

Neighbourhood cylinder_query(const at::Tensor& query, const at::Tensor& support,
                             const at::Tensor& rotation, double radius, double hmin, double hmax,
                             int64_t nsample) {
  require_query_and_support("cylinder_query", query, support);
  if (rotation.dim() != 4 || rotation.size(0) != query.size(0) ||
      rotation.size(1) != query.size(1) || rotation.size(2) != 3 || rotation.size(3) != 3)
    refuse_argument("cylinder_query", "rotation", "has shape " + shape_text(rotation),
                    "(B, M, 3, 3) for query " + shape_text(query));
  require_like("cylinder_query", "rotation", rotation, "query", query);
  require_radius("cylinder_query", radius);
  if (std::isnan(hmin)) refuse_argument("cylinder_query", "hmin", "is NaN", "a number");
  if (std::isnan(hmax)) refuse_argument("cylinder_query", "hmax", "is NaN", "a number");
  require_nsample("cylinder_query", nsample);
  return cylinder_query_kernels().run(query.device(), query, support, rotation, radius, hmin, hmax,
                                      nsample);
}

KernelList<CylinderQueryFn>& cylinder_query_kernels() {
  static KernelList<CylinderQueryFn> list("cylinder_query",
                                          {cuda_kernels().cylinder_query,
                                           cylinder_query_cpu_kernel(),
                                           {kReference, {}, {}, cylinder_query_reference}},
                                          check_cylinder_query);
  return list;
}

}  // namespace grasppanda::ops
