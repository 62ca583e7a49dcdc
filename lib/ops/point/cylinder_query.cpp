#include "lib/ops/point/cylinder_query.h"

#include "lib/ops/argument_check.h"
#include "lib/ops/point/cpu_kernels.h"
#include "lib/ops/point/cuda_kernels.h"

namespace grasppanda::ops {

Neighbourhood cylinder_query(const at::Tensor& query, const at::Tensor& support,
                             const at::Tensor& rotation, double radius, double hmin, double hmax,
                             int64_t nsample) {
  require_cylinders("cylinder_query", query, support, rotation);
  require_radius("cylinder_query", radius);
  require_number("cylinder_query", "hmin", hmin);
  require_number("cylinder_query", "hmax", hmax);
  require_nsample("cylinder_query", nsample);
  require_result_size("cylinder_query", "nsample", nsample, query.size(0) * query.size(1));
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
