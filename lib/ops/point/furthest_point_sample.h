#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>
#include <vector>

#include "lib/ops/kernel_list.h"

namespace grasppanda::ops {

/// Which of several equally far points is taken.
///   lowest_index    the smallest index
///   pointnet2_cuda  the one a PointNet++ CUDA block finds: with T = min(512, 2^floor(log2 N))
///                   threads, smallest bit-reversed (index mod T) first, then smallest index
enum class TieBreak { lowest_index, pointnet2_cuda };

/// "lowest_index", "pointnet2_cuda". Throws ArgumentError naming both for anything else.
TieBreak parse_tie_break(std::string_view name);
std::string_view tie_break_name(TieBreak tie_break);

/// Picks `num_samples` points of every cloud; each is the one furthest from all picked before.
///
/// points       (B, N, 3) floating type, metres; any device, any strides
/// num_samples  picks per cloud, >= 0; more than N is allowed, then points repeat
/// returns      (B, num_samples) int64, indices into N, on the device of `points`
///
/// Contract (every kernel returns the same integers):
///   - pick 0 is index 0;
///   - squared distance is (dx*dx + dy*dy) + dz*dz, each step rounded (no fused multiply-add);
///   - a running value per point starts at +inf and becomes the minimum of itself and the distance
///     to the new pick (NaN spreads); the largest wins (NaN is larger than everything);
///   - `tie_break` decides between equal values;
///   - `skip_near_origin`: after pick 0, no point with squared norm <= 1e-3 is picked; if nothing
///     is left, the pick is index 0.
/// Throws ArgumentError naming the argument, what it got and what it wants; BackendError when
/// `compiled` is selected and cannot run.
/// Cost O(B*N*num_samples) time, O(N) scratch. Config key `fps`.
/// Source: PointNet++ (Qi et al., 2017); details in docs/ops/point.md
at::Tensor furthest_point_sample(const at::Tensor& points, int64_t num_samples,
                                 bool skip_near_origin = false,
                                 TieBreak tie_break = TieBreak::lowest_index);

/// What defines the result.
at::Tensor furthest_point_sample_reference(const at::Tensor& points, int64_t num_samples,
                                           bool skip_near_origin, TieBreak tie_break);

using FurthestPointSampleFn = at::Tensor(at::Tensor, int64_t, bool, TieBreak);
KernelList<FurthestPointSampleFn>& furthest_point_sample_kernels();

/// One call, seeded: shared by self-check, tests and `ops check`.
struct FurthestPointSampleCase {
  std::string name;
  at::Tensor points;
  int64_t num_samples;
  bool skip_near_origin;
  TieBreak tie_break;
};
std::vector<FurthestPointSampleCase> furthest_point_sample_cases();
std::string check_furthest_point_sample(const Kernel<FurthestPointSampleFn>& kernel,
                                        c10::Device device);
/// The first difference from the reference in one call, or nothing.
std::string compare_furthest_point_sample(const Kernel<FurthestPointSampleFn>& kernel,
                                          c10::Device device, const FurthestPointSampleCase& call);
/// A call of a nasty kind over `points` points, drawn from a seed.
FurthestPointSampleCase random_furthest_point_sample_case(uint64_t seed, int64_t points);
/// A call as the models make it: samples of a table top.
FurthestPointSampleCase furthest_point_sample_scene(int64_t batches, int64_t num_samples,
                                                    int64_t points, TieBreak tie_break);

/// The indices 0 .. points - 1 of a cloud in order of preference among equally far points: (N,)
/// int64 on the CPU.
at::Tensor preference_order(int64_t points, TieBreak tie_break);

}  // namespace grasppanda::ops
