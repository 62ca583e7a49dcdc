// Randomised calls of a kernel against its reference: one set of generators for the CUDA kernels and
// the CUDA kernels emulated on the CPU.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "lib/ops/point/ball_query.h"
#include "lib/ops/point/cylinder_query.h"
#include "lib/ops/point/furthest_point_sample.h"
#include "lib/ops/point/knn.h"

namespace grasppanda::tests {

struct Trials {
  c10::Device device = c10::kCPU;
  ops::SumOrder order = ops::SumOrder::left_to_right;
  std::vector<int64_t> sizes;  // points of a cloud
  int64_t most_queries = 300;
  int rounds = 1;  // each with seeds of its own
  /// Called before every call; says in words what is set for it.
  std::function<std::string()> next_setting = [] { return std::string("default setting"); };
};

/// N - 1, N, N + 1 of: a vector of 4, 8, 16; a bucket of 32, which is a warp; a bitmap word of 64;
/// a run of 128; a block of 512 and a group of 16 buckets; where boxes and sorting begin to pay;
/// what a block of threads holds in registers.
std::vector<int64_t> sizes_around_every_width();

/// Each returns the number of calls; a difference fails the test in a line that names its call.
int try_furthest_point_sample(const ops::Kernel<ops::FurthestPointSampleFn>& kernel,
                              const Trials& trials);
int try_ball_query(const ops::Kernel<ops::BallQueryFn>& kernel, const Trials& trials);
int try_cylinder_query(const ops::Kernel<ops::CylinderQueryFn>& kernel, const Trials& trials);
int try_knn(const ops::Kernel<ops::KnnFn>& kernel, const Trials& trials);

}  // namespace grasppanda::tests
