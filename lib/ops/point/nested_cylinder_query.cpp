#include "lib/ops/point/nested_cylinder_query.h"

#include <string_view>

#include "lib/ops/argument_check.h"
#include "lib/ops/point/cpu_kernels.h"
#include "lib/ops/point/cuda_kernels.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kName = "nested_cylinder_query";

}  // namespace

Neighbourhood nested_cylinder_query(const at::Tensor& query, const at::Tensor& support,
                                    const at::Tensor& rotation, double radius, double hmin,
                                    const std::vector<double>& hmax, int64_t nsample) {
  require_cylinders(kName, query, support, rotation);
  require_radius(kName, radius);
  require_number(kName, "hmin", hmin);
  if (hmax.empty()) refuse_argument(kName, "hmax", "is empty", "at least one upper end");
  for (const double end : hmax) require_number(kName, "hmax", end);
  require_nsample(kName, nsample);
  require_result_size(kName, "nsample", nsample,
                      query.size(0) * query.size(1) * static_cast<int64_t>(hmax.size()));
  return nested_cylinder_query_kernels().run(query.device(), query, support, rotation, radius, hmin,
                                             hmax, nsample);
}

KernelList<NestedCylinderQueryFn>& nested_cylinder_query_kernels() {
  static KernelList<NestedCylinderQueryFn> list(
      "cylinder_query",
      {cuda_kernels().nested_cylinder_query,
       nested_cylinder_query_cpu_kernel(),
       {kReference, {}, {}, nested_cylinder_query_reference}},
      check_nested_cylinder_query, kName);
  return list;
}

}  // namespace grasppanda::ops
