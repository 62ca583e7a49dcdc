#include "lib/ops/point/cpu_kernels.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>

#include <functional>
#include <string>
#include <vector>

#include "lib/ops/kernel_threads.h"
#include "lib/ops/point/ball_query_cpu.h"
#include "lib/ops/point/cylinder_hand_back.h"
#include "lib/ops/point/cylinder_query_cpu.h"
#include "lib/ops/point/furthest_point_sample_cpu.h"
#include "lib/ops/point/knn_cpu.h"

namespace grasppanda::ops {
namespace {

// Indices are held in 32 bits, the last value marks padding.
constexpr int64_t kMostPoints = 0xFFFFFFFE;

Reason missing_beside_cpu(c10::DeviceType device) {
  return device == c10::kCPU ? Reason{} : kForAnotherDevice;
}

Reason declines_cloud(const at::Tensor& cloud) {
  if (cloud.scalar_type() != at::kFloat)
    return std::string(c10::toString(cloud.scalar_type())) + " runs on the reference";
  if (cloud.size(1) > kMostPoints) return "a cloud of 2^32 - 1 points or more";
  return {};
}

Reason declines_order(SumOrder order) {
  return order == SumOrder::left_to_right ? Reason{} : "the kernel adds like the CPU, (x + y) + z";
}

/// Clouds side by side where there are enough of them, else threads inside a cloud.
void for_each_cloud(int64_t clouds, const std::function<void(int64_t cloud, int threads)>& work) {
  const int threads = kernel_threads();
  if (clouds < threads || threads == 1) {
    for (int64_t cloud = 0; cloud < clouds; ++cloud) work(cloud, threads);
    return;
  }
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1)
  for (int64_t cloud = 0; cloud < clouds; ++cloud) work(cloud, 1);
}

const float* cloud_of(const at::Tensor& batch, int64_t cloud) {
  return batch.const_data_ptr<float>() + cloud * batch.stride(0);
}

at::Tensor run_furthest_point_sample(const at::Tensor& points, int64_t num_samples,
                                     bool skip_near_origin, TieBreak tie_break) {
  const at::Tensor all = points.contiguous();
  at::Tensor samples = at::empty({all.size(0), num_samples}, at::kLong);
  if (samples.numel() == 0) return samples;
  int64_t* out = samples.mutable_data_ptr<int64_t>();
  for_each_cloud(all.size(0), [&](int64_t cloud, int threads) {
    furthest_point_sample_cpu(cloud_of(all, cloud), all.size(1), num_samples, skip_near_origin,
                              tie_break == TieBreak::pointnet2_cuda, threads,
                              out + cloud * num_samples);
  });
  return samples;
}

at::Tensor empty_index(at::IntArrayRef shape) {
  return at::empty(shape, at::kLong);
}

Neighbourhood run_ball_query(const at::Tensor& query, const at::Tensor& support, double radius,
                             int64_t nsample, SumOrder) {
  const at::Tensor queries = query.contiguous(), supports = support.contiguous();
  const int64_t m = queries.size(1);
  Neighbourhood found{empty_index({queries.size(0), m, nsample}),
                      empty_index({queries.size(0), m})};
  if (found.count.numel() == 0) return found;
  int64_t* index = found.index.mutable_data_ptr<int64_t>();
  int64_t* count = found.count.mutable_data_ptr<int64_t>();
  for_each_cloud(queries.size(0), [&](int64_t cloud, int threads) {
    ball_query_cpu(cloud_of(queries, cloud), m, cloud_of(supports, cloud), supports.size(1), radius,
                   nsample, threads, index + cloud * m * nsample, count + cloud * m);
  });
  return found;
}

Neighbourhood run_nested_cylinder_query(const at::Tensor& query, const at::Tensor& support,
                                        const at::Tensor& rotation, double radius, double hmin,
                                        const std::vector<double>& hmax, int64_t nsample) {
  const at::Tensor queries = query.contiguous(), supports = support.contiguous(),
                   rotations = rotation.contiguous();
  const int64_t clouds = queries.size(0), m = queries.size(1);
  const auto ends = static_cast<int64_t>(hmax.size());
  Neighbourhood found{empty_index({clouds, ends, m, nsample}), empty_index({clouds, ends, m})};
  if (found.count.numel() == 0) return found;
  at::Tensor hand_back = at::empty({clouds, m}, at::kByte);
  int64_t* index = found.index.mutable_data_ptr<int64_t>();
  int64_t* count = found.count.mutable_data_ptr<int64_t>();
  uint8_t* flags = hand_back.mutable_data_ptr<uint8_t>();
  for_each_cloud(clouds, [&](int64_t cloud, int threads) {
    cylinder_query_cpu(cloud_of(queries, cloud), m, cloud_of(supports, cloud), supports.size(1),
                       cloud_of(rotations, cloud), radius, hmin, hmax, nsample, threads,
                       index + cloud * ends * m * nsample, count + cloud * ends * m,
                       flags + cloud * m);
  });
  answer_handed_back(hand_back, {queries, supports, rotations, radius, hmin, hmax, nsample}, found);
  return found;
}

Neighbourhood run_cylinder_query(const at::Tensor& query, const at::Tensor& support,
                                 const at::Tensor& rotation, double radius, double hmin,
                                 double hmax, int64_t nsample) {
  const Neighbourhood found =
      run_nested_cylinder_query(query, support, rotation, radius, hmin, {hmax}, nsample);
  return {found.index.squeeze(1), found.count.squeeze(1)};
}

/// The reference's product is less accurate there than the band of the kernel assumes.
Reason declines_inexact_product() {
  if (at::autocast::is_autocast_enabled(at::kCPU))
    return "a product under autocast is not a float32 product";
  if (at::globalContext().float32MatmulPrecision() != at::Float32MatmulPrecision::HIGHEST)
    return "products of less than float32 precision are allowed";
  return {};
}

SquaredNeighbours run_knn(const at::Tensor& query, const at::Tensor& support, int64_t k, SumOrder) {
  const at::Tensor queries = query.contiguous(), supports = support.contiguous();
  const int64_t m = queries.size(1);
  SquaredNeighbours found{at::empty({queries.size(0), m, k}, at::kFloat),
                          at::empty({queries.size(0), m, k}, at::kLong)};
  if (found.index.numel() == 0) return found;
  float* squared = found.squared.mutable_data_ptr<float>();
  int64_t* index = found.index.mutable_data_ptr<int64_t>();
  for_each_cloud(queries.size(0), [&](int64_t cloud, int threads) {
    knn_cpu(cloud_of(queries, cloud), m, cloud_of(supports, cloud), supports.size(1), k, threads,
            squared + cloud * m * k, index + cloud * m * k);
  });
  return found;
}

}  // namespace

Kernel<FurthestPointSampleFn> furthest_point_sample_cpu_kernel() {
  return {"cpu", missing_beside_cpu,
          [](const at::Tensor& points, int64_t, bool, TieBreak) { return declines_cloud(points); },
          run_furthest_point_sample};
}

Kernel<BallQueryFn> ball_query_cpu_kernel() {
  return {"cpu", missing_beside_cpu,
          [](const at::Tensor&, const at::Tensor& support, double, int64_t, SumOrder order) {
            const Reason reason = declines_cloud(support);
            return reason.empty() ? declines_order(order) : reason;
          },
          run_ball_query};
}

Kernel<CylinderQueryFn> cylinder_query_cpu_kernel() {
  return {"cpu", missing_beside_cpu,
          [](const at::Tensor&, const at::Tensor& support, const auto&...) {
            const Reason reason = declines_inexact_product();
            return reason.empty() ? declines_cloud(support) : reason;
          },
          run_cylinder_query};
}

Kernel<NestedCylinderQueryFn> nested_cylinder_query_cpu_kernel() {
  return {"cpu", missing_beside_cpu,
          [](const at::Tensor&, const at::Tensor& support, const at::Tensor&, double, double,
             const std::vector<double>& hmax, int64_t) {
            if (hmax.size() > kMostCylinderEnds)
              return "more than " + std::to_string(kMostCylinderEnds) + " upper ends";
            const Reason reason = declines_inexact_product();
            return reason.empty() ? declines_cloud(support) : reason;
          },
          run_nested_cylinder_query};
}

Kernel<KnnFn> knn_cpu_kernel() {
  return {"cpu", missing_beside_cpu,
          [](const at::Tensor& query, const at::Tensor& support, int64_t k, SumOrder order) {
            if (k > kKnnLargestK) return "k above " + std::to_string(kKnnLargestK);
            if (at::GradMode::is_enabled() && (query.requires_grad() || support.requires_grad()))
              return Reason("a call that records gradients");
            const Reason reason = declines_cloud(support);
            return reason.empty() ? declines_order(order) : reason;
          },
          run_knn};
}

}  // namespace grasppanda::ops
