#pragma once

#include <string>
#include <vector>

#include "lib/ops/kernel_list.h"
#include "lib/ops/point/neighbourhood.h"
#include "lib/ops/point/squared_distance.h"

namespace grasppanda::ops {

/// The first `nsample` points of the support inside a ball around every query.
///
/// query    (B, M, 3) floating type, metres; any device, any strides
/// support  (B, N, 3) of the type and on the device of query; N = 0 is allowed
/// radius   metres, >= 0; infinity means every finite distance
/// nsample  slots per query, >= 1
///
/// Contract (every kernel returns the same integers):
///   - point i is a hit when the sum of the squared differences is < radius * radius, the latter
///     rounded once from double; sum (x + y) + z on the CPU, (x + z) + y on CUDA, never fused;
///   - hits in ascending index, unused slots repeat the first hit, 0 and count 0 without a hit;
///   - NaN and infinite distances are no hits.
/// Throws ArgumentError naming the argument, what it got and what it wants; BackendError when
/// `compiled` is selected and cannot run.
/// Cost O(B*M*N) time, a bounded number of pairs in memory. Config key `ball_query`.
/// Source: PointNet++ (Qi et al., 2017); details in docs/ops/point.md
Neighbourhood ball_query(const at::Tensor& query, const at::Tensor& support, double radius,
                         int64_t nsample);

/// The same with the sum in an order of choice, whatever the device.
Neighbourhood ball_query(const at::Tensor& query, const at::Tensor& support, double radius,
                         int64_t nsample, SumOrder order);

/// What defines the result.
Neighbourhood ball_query_reference(const at::Tensor& query, const at::Tensor& support,
                                   double radius, int64_t nsample, SumOrder order);

using BallQueryFn = Neighbourhood(at::Tensor, at::Tensor, double, int64_t, SumOrder);
KernelList<BallQueryFn>& ball_query_kernels();

/// One call, seeded: shared by self-check, tests and `ops check`.
struct BallQueryCase {
  std::string name;
  at::Tensor query;
  at::Tensor support;
  double radius;
  int64_t nsample;
};
std::vector<BallQueryCase> ball_query_cases();
std::string check_ball_query(const Kernel<BallQueryFn>& kernel, c10::Device device);
/// The first difference from the reference in one call, or nothing.
std::string compare_ball_query(const Kernel<BallQueryFn>& kernel, c10::Device device,
                               const BallQueryCase& call);
/// A call of a nasty kind over `points` points, drawn from a seed.
BallQueryCase random_ball_query_case(uint64_t seed, int64_t points);
/// A call as the models make it: some points of a table top against all of them.
BallQueryCase ball_query_scene(int64_t batches, int64_t queries, int64_t points, int64_t nsample);

}  // namespace grasppanda::ops
