#pragma once

#include <string>
#include <vector>

#include "lib/ops/kernel_list.h"
#include "lib/ops/point/neighbourhood.h"

namespace grasppanda::ops {

/// cylinder_query for H upper ends at once: the same axis, radius and lower end, one walk over the
/// support in place of H. GraspNet-baseline crops around every seed with four.
///
/// query, support, rotation, radius, hmin, nsample  as in cylinder_query.h
/// hmax     H upper ends in any order, metres along the axis, H >= 1
/// returns  index (B, H, M, nsample), count (B, H, M) int64: [:, h] is what cylinder_query gives
///          for hmax[h], to the bit
///
/// Throws ArgumentError naming the argument, what it got and what it wants; BackendError when
/// `compiled` is selected and cannot run.
/// Cost of one cylinder_query of the longest cylinder, and H lists. Config key `cylinder_query`.
/// Source: GraspNet-baseline (Fang et al., 2020); details in docs/ops/point.md
Neighbourhood nested_cylinder_query(const at::Tensor& query, const at::Tensor& support,
                                    const at::Tensor& rotation, double radius, double hmin,
                                    const std::vector<double>& hmax, int64_t nsample);

/// What defines the result.
Neighbourhood nested_cylinder_query_reference(const at::Tensor& query, const at::Tensor& support,
                                              const at::Tensor& rotation, double radius,
                                              double hmin, const std::vector<double>& hmax,
                                              int64_t nsample);

using NestedCylinderQueryFn = Neighbourhood(at::Tensor, at::Tensor, at::Tensor, double, double,
                                            std::vector<double>, int64_t);
KernelList<NestedCylinderQueryFn>& nested_cylinder_query_kernels();

/// One call, seeded: shared by self-check, tests and `ops check`.
struct NestedCylinderQueryCase {
  std::string name;
  at::Tensor query;
  at::Tensor support;
  at::Tensor rotation;
  double radius;
  double hmin;
  std::vector<double> hmax;
  int64_t nsample;
};
std::vector<NestedCylinderQueryCase> nested_cylinder_query_cases();
std::string check_nested_cylinder_query(const Kernel<NestedCylinderQueryFn>& kernel,
                                        c10::Device device);
/// The first difference from the reference in one call, or nothing.
std::string compare_nested_cylinder_query(const Kernel<NestedCylinderQueryFn>& kernel,
                                          c10::Device device, const NestedCylinderQueryCase& call);
/// A call of a nasty kind over `points` points, drawn from a seed.
NestedCylinderQueryCase random_nested_cylinder_query_case(uint64_t seed, int64_t points);

}  // namespace grasppanda::ops
