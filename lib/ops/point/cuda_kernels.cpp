#include "lib/ops/point/cuda_kernels.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/GradMode.h>

#include <string>
#include <utility>
#include <vector>

#include "lib/ops/cuda_call.h"
#include "lib/ops/point/cylinder_hand_back.h"

namespace grasppanda::ops {
namespace {

constexpr int64_t kMostPoints = 0x7FFFFFFF;
/// Queries are counted in the x direction of a grid, some of them to a block.
constexpr int64_t kMostQueries = 0x7FFFFFFF;

at::Tensor run_furthest_point_sample(const CudaFunctions& functions, const at::Tensor& points,
                                     int64_t num_samples, bool skip_near_origin,
                                     TieBreak tie_break) {
  const c10::DeviceGuard guard(points.device());
  const at::Tensor all = points.contiguous();
  const int64_t clouds = all.size(0), n = all.size(1);
  at::Tensor samples = at::empty({clouds, num_samples}, all.options().dtype(at::kLong));
  if (samples.numel() == 0) return samples;
  const at::Tensor scratch = cuda_scratch(functions.sampling_scratch(clouds, n, num_samples), all);
  require_cuda_success(functions.furthest_point_sample(
      cuda_place_of(all), all.const_data_ptr<float>(), clouds, n, num_samples, skip_near_origin,
      tie_break == TieBreak::pointnet2_cuda, memory_of(scratch),
      samples.mutable_data_ptr<int64_t>()));
  return samples;
}

at::Tensor empty_index(at::IntArrayRef shape, const at::Tensor& like) {
  return at::empty(shape, like.options().dtype(at::kLong));
}

Neighbourhood run_ball_query(const CudaFunctions& functions, const at::Tensor& query,
                             const at::Tensor& support, double radius, int64_t nsample) {
  const c10::DeviceGuard guard(query.device());
  const at::Tensor queries = query.contiguous(), supports = support.contiguous();
  const int64_t clouds = queries.size(0), n = supports.size(1);
  Neighbourhood found{empty_index({clouds, queries.size(1), nsample}, queries),
                      empty_index({clouds, queries.size(1)}, queries)};
  if (found.count.numel() == 0) return found;
  const at::Tensor scratch = cuda_scratch(functions.search_scratch(clouds, n), queries);
  require_cuda_success(functions.ball_query(
      cuda_place_of(queries), queries.const_data_ptr<float>(), queries.size(1),
      supports.const_data_ptr<float>(), n, clouds, static_cast<float>(radius * radius), nsample,
      memory_of(scratch), found.index.mutable_data_ptr<int64_t>(),
      found.count.mutable_data_ptr<int64_t>()));
  return found;
}

Neighbourhood run_cylinder_query(const CudaFunctions& functions, const NestedCylinderCall& call) {
  const c10::DeviceGuard guard(call.query.device());
  const at::Tensor queries = call.query.contiguous(), supports = call.support.contiguous(),
                   rotations = call.rotation.contiguous();
  const int64_t clouds = queries.size(0), m = queries.size(1), n = supports.size(1);
  const std::vector<float> ends(call.hmax.begin(), call.hmax.end());  // rounded once
  const auto count = static_cast<int64_t>(ends.size());
  Neighbourhood found{empty_index({clouds, count, m, call.nsample}, queries),
                      empty_index({clouds, count, m}, queries)};
  if (found.count.numel() == 0) return found;
  const at::Tensor scratch = cuda_scratch(functions.search_scratch(clouds, n), queries);
  const at::Tensor hand_back = at::empty({clouds, m}, queries.options().dtype(at::kByte));
  require_cuda_success(functions.cylinder_query(
      cuda_place_of(queries), queries.const_data_ptr<float>(), m, supports.const_data_ptr<float>(),
      n, rotations.const_data_ptr<float>(), clouds, static_cast<float>(call.radius * call.radius),
      static_cast<float>(call.hmin), ends.data(), static_cast<int>(count), call.nsample,
      memory_of(scratch), found.index.mutable_data_ptr<int64_t>(),
      found.count.mutable_data_ptr<int64_t>(), hand_back.mutable_data_ptr<uint8_t>()));
  answer_handed_back(hand_back.cpu(), call, found);  // the one wait for the device
  return found;
}

SquaredNeighbours run_knn(const CudaFunctions& functions, const at::Tensor& query,
                          const at::Tensor& support, int64_t k) {
  const c10::DeviceGuard guard(query.device());
  const at::Tensor queries = query.contiguous(), supports = support.contiguous();
  const int64_t clouds = queries.size(0), m = queries.size(1), n = supports.size(1);
  SquaredNeighbours found{at::empty({clouds, m, k}, queries.options()),
                          at::empty({clouds, m, k}, queries.options().dtype(at::kLong))};
  if (found.index.numel() == 0) return found;
  const at::Tensor scratch = cuda_scratch(functions.search_scratch(clouds, n), queries);
  require_cuda_success(functions.knn(cuda_place_of(queries), queries.const_data_ptr<float>(), m,
                                     supports.const_data_ptr<float>(), n, clouds, k,
                                     memory_of(scratch), found.squared.mutable_data_ptr<float>(),
                                     found.index.mutable_data_ptr<int64_t>()));
  return found;
}

Reason declines_cloud(const at::Tensor& cloud) {
  if (cloud.scalar_type() != at::kFloat)
    return std::string(c10::toString(cloud.scalar_type())) + " runs on the reference";
  return cloud.size(1) <= kMostPoints ? Reason{} : "a cloud of 2^31 points or more";
}
Reason declines_search(const at::Tensor& query, const at::Tensor& support) {
  if (query.size(0) * query.size(1) > kMostQueries) return "2^31 queries or more";
  return declines_cloud(support);
}
Reason declines_order(SumOrder order) {
  return order == SumOrder::middle_last ? Reason{} : "the kernel adds like CUDA, (x + z) + y";
}

// The reference's product is less accurate under these than the band of the kernel assumes.
Reason declines_product() {
  if (at::autocast::is_autocast_enabled(at::kCUDA))
    return "a product under autocast is not a float32 product";
  try {
    if (!at::globalContext().allowTF32CuBLAS()) return {};
  } catch (const c10::Error&) {
    // LibTorch refuses to say where its old and new settings were mixed.
  }
  return "a product in TF32 is not a float32 product";
}

CudaKernels make_kernels(const CudaFunctionsOf& functions, Reason (*missing)(c10::DeviceType)) {
  CudaKernels kernels;
  kernels.furthest_point_sample = {
      "cuda", missing,
      [](const at::Tensor& points, int64_t, bool, TieBreak) { return declines_cloud(points); },
      [functions](const at::Tensor& points, int64_t num_samples, bool skip, TieBreak tie_break) {
        return run_furthest_point_sample(functions(), points, num_samples, skip, tie_break);
      }};
  kernels.ball_query = {
      "cuda", missing,
      [](const at::Tensor& query, const at::Tensor& support, double, int64_t, SumOrder order) {
        const Reason reason = declines_search(query, support);
        return reason.empty() ? declines_order(order) : reason;
      },
      [functions](const at::Tensor& query, const at::Tensor& support, double radius,
                  int64_t nsample, SumOrder) {
        return run_ball_query(functions(), query, support, radius, nsample);
      }};
  kernels.cylinder_query = {
      "cuda", missing,
      [](const at::Tensor& query, const at::Tensor& support, const at::Tensor&, double, double,
         double, int64_t) {
        const Reason reason = declines_search(query, support);
        return reason.empty() ? declines_product() : reason;
      },
      [functions](const at::Tensor& query, const at::Tensor& support, const at::Tensor& rotation,
                  double radius, double hmin, double hmax, int64_t nsample) {
        const Neighbourhood found = run_cylinder_query(
            functions(), {query, support, rotation, radius, hmin, {hmax}, nsample});
        return Neighbourhood{found.index.squeeze(1), found.count.squeeze(1)};
      }};
  kernels.nested_cylinder_query = {
      "cuda", missing,
      [](const at::Tensor& query, const at::Tensor& support, const at::Tensor&, double, double,
         const std::vector<double>&, int64_t) {
        const Reason reason = declines_search(query, support);
        return reason.empty() ? declines_product() : reason;
      },
      [functions](const at::Tensor& query, const at::Tensor& support, const at::Tensor& rotation,
                  double radius, double hmin, const std::vector<double>& hmax, int64_t nsample) {
        return run_cylinder_query(functions(),
                                  {query, support, rotation, radius, hmin, hmax, nsample});
      }};
  kernels.knn = {
      "cuda", missing,
      [](const at::Tensor& query, const at::Tensor& support, int64_t k, SumOrder order) {
        if (k > 64) return Reason("k above 64");
        if (at::GradMode::is_enabled() && (query.requires_grad() || support.requires_grad()))
          return Reason("a call that records gradients");
        const Reason reason = declines_search(query, support);
        return reason.empty() ? declines_order(order) : reason;
      },
      [functions](const at::Tensor& query, const at::Tensor& support, int64_t k, SumOrder) {
        return run_knn(functions(), query, support, k);
      }};
  return kernels;
}

}  // namespace

CudaKernels cuda_kernels() {
  return make_kernels(functions_of_cuda_module(), missing_cuda_module);
}

CudaKernels cuda_kernels_of(const CudaFunctions& functions) {
  return make_kernels([functions]() -> const CudaFunctions& { return functions; }, nullptr);
}

}  // namespace grasppanda::ops
