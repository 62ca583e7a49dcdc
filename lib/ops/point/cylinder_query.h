#pragma once

#include <string>
#include <vector>

#include "lib/ops/kernel_list.h"
#include "lib/ops/point/neighbourhood.h"

namespace grasppanda::ops {

/// The first `nsample` points of the support inside a cylinder at every query.
///
/// query     (B, M, 3) floating type, metres; any device, any strides
/// support   (B, N, 3) of the type and on the device of query; N = 0 is allowed
/// rotation  (B, M, 3, 3) likewise; column 0 is the axis; need not be a rotation
/// radius    metres, >= 0
/// hmin, hmax  metres along the axis; hmin >= hmax has no hits
/// nsample   slots per query, >= 1
///
/// Contract: with d = transposed(rotation) * (p - q), a hit is hmin < d.x < hmax and
/// d.y*d.y + d.z*d.z < radius * radius, bounds rounded once from double, all strict. Order, padding
/// and counts are those of ball_query. The product goes through LibTorch's batched matrix product,
/// whose last bit is that of a BLAS: a point closer to the surface than that may fall either way,
/// but the answer for a query depends on nothing but that query and its whole support.
/// Throws ArgumentError naming the argument, what it got and what it wants; BackendError when
/// `compiled` is selected and cannot run.
/// Cost O(B*M*N) time, a bounded number of pairs in memory. Config key `cylinder_query`.
/// Source: GraspNet-baseline (Fang et al., 2020); details in docs/ops/point.md
Neighbourhood cylinder_query(const at::Tensor& query, const at::Tensor& support,
                             const at::Tensor& rotation, double radius, double hmin, double hmax,
                             int64_t nsample);

/// What defines the result.
Neighbourhood cylinder_query_reference(const at::Tensor& query, const at::Tensor& support,
                                       const at::Tensor& rotation, double radius, double hmin,
                                       double hmax, int64_t nsample);

using CylinderQueryFn = Neighbourhood(at::Tensor, at::Tensor, at::Tensor, double, double, double,
                                      int64_t);
KernelList<CylinderQueryFn>& cylinder_query_kernels();

/// One call, seeded: shared by self-check, tests and `ops check`.
struct CylinderQueryCase {
  std::string name;
  at::Tensor query;
  at::Tensor support;
  at::Tensor rotation;
  double radius;
  double hmin;
  double hmax;
  int64_t nsample;
};
std::vector<CylinderQueryCase> cylinder_query_cases();
std::string check_cylinder_query(const Kernel<CylinderQueryFn>& kernel, c10::Device device);
/// The first difference from the reference in one call, or nothing.
std::string compare_cylinder_query(const Kernel<CylinderQueryFn>& kernel, c10::Device device,
                                   const CylinderQueryCase& call);
/// A call of a nasty kind over `points` points, drawn from a seed.
CylinderQueryCase random_cylinder_query_case(uint64_t seed, int64_t points);
/// A call as the models make it: some points of a table top against all of them.
CylinderQueryCase cylinder_query_scene(int64_t batches, int64_t queries, int64_t points,
                                       int64_t nsample);

}  // namespace grasppanda::ops
