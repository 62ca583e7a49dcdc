// The CUDA kernels on a GPU against their references: the calls of the CPU kernels' test, twice
// over. Without a GPU the same kernels run emulated (emulated_cuda_kernels_test.cpp);
// GRASPPANDA_REQUIRE=cuda makes the absence of a GPU a failure.
#include "lib/ops/point/cuda_kernels.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lib/ops/cuda_devices.h"
#include "lib/ops/point/cpu_kernels.h"
#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/ops/need_cuda.h"

namespace grasppanda::tests {
namespace {

/// One below, at and one above: a warp, a run of points, blocks of threads, where boxes begin, what
/// one block holds in registers, several blocks.
const std::vector<int64_t> kWidths = {2,   4,    8,    16,   32,   64,   128,   256,
                                      512, 1024, 1500, 2048, 4096, 8192, 16384, 40000};

/// Random calls of every size on the GPU, and the fixed ones of the self-check; the number of them.
template <class Kernel, class Call>
int try_on_cuda(const Kernel& kernel, std::string (*self_check)(const Kernel&, c10::Device),
                Call (*draw)(uint64_t, int64_t),
                std::string (*compare)(const Kernel&, c10::Device, const Call&)) {
  constexpr int kCallsPerSize = 22;
  const c10::Device device(c10::kCUDA, 0);
  CHECK(self_check(kernel, device) == "");
  int calls = 0;
  for (const int64_t width : kWidths)
    for (const int64_t points : {width - 1, width, width + 1})
      for (int call = 0; call < kCallsPerSize; ++call) {
        const auto seed = static_cast<uint64_t>(++calls);
        const std::string difference = compare(kernel, device, draw(seed, points));
        if (!difference.empty())
          FAIL_CHECK(points << " points, seed " << seed << ": " << difference);
      }
  return calls;
}

}  // namespace

TEST_CASE("the CUDA kernels equal their references") {
  GP_NEED_CUDA();
  const ops::CudaKernels kernels = ops::cuda_kernels();
  int calls =
      try_on_cuda(kernels.furthest_point_sample, ops::check_furthest_point_sample,
                  ops::random_furthest_point_sample_case, ops::compare_furthest_point_sample);
  calls += try_on_cuda(kernels.ball_query, ops::check_ball_query, ops::random_ball_query_case,
                       ops::compare_ball_query);
  calls += try_on_cuda(kernels.cylinder_query, ops::check_cylinder_query,
                       ops::random_cylinder_query_case, ops::compare_cylinder_query);
  calls += try_on_cuda(kernels.nested_cylinder_query, ops::check_nested_cylinder_query,
                       ops::random_nested_cylinder_query_case, ops::compare_nested_cylinder_query);
  calls += try_on_cuda(kernels.knn, ops::check_knn, ops::random_knn_case, ops::compare_knn);
  CHECK(calls >= 5000);
}

TEST_CASE("the CUDA kernels are what auto runs on CUDA") {
  GP_NEED_CUDA();
  const c10::Device device(c10::kCUDA, 0);
  for (const ops::AnyKernelList* list : std::vector<const ops::AnyKernelList*>{
           &ops::furthest_point_sample_kernels(), &ops::ball_query_kernels(),
           &ops::cylinder_query_kernels(), &ops::knn_kernels()}) {
    const ops::Settled settled = list->settle(device);
    CHECK(settled.backend == ops::Backend::compiled);
    CHECK(settled.note == "");
  }
}

TEST_CASE("the CUDA kernels are not for the CPU, and the CPU's are not for CUDA") {
  CHECK(ops::cuda_kernels().knn.missing(c10::kCPU) == ops::kForAnotherDevice);
  CHECK(ops::knn_cpu_kernel().missing(c10::kCUDA) == ops::kForAnotherDevice);
  if (ops::cuda_device_count() > 0) return;
  CHECK(ops::cuda_kernels().knn.missing(c10::kCUDA) == ops::why_no_cuda_device());
  const at::Tensor cloud = ops::seeded_cloud(ops::CloudKind::uniform, 1, 8, 1);
  CHECK_THROWS_AS(ops::cuda_kernels().knn.run(cloud, cloud, 1, ops::SumOrder::middle_last),
                  ops::BackendError);
  const ops::ScopedBackends compiled(ops::all_backends(ops::Backend::compiled));
  CHECK(ops::knn_kernels().settle(c10::kCUDA).note == ops::why_no_cuda_device());
}

TEST_CASE("what the CUDA kernels leave to the reference") {
  const ops::CudaKernels kernels = ops::cuda_kernels();
  const at::Tensor cloud = ops::seeded_cloud(ops::CloudKind::uniform, 1, 8, 1);
  const auto last = ops::SumOrder::middle_last;
  CHECK(kernels.furthest_point_sample.declines(cloud, 3, false, ops::TieBreak::lowest_index) == "");
  CHECK(kernels.furthest_point_sample.declines(cloud.to(at::kDouble), 3, false,
                                               ops::TieBreak::lowest_index) != "");
  CHECK(kernels.ball_query.declines(cloud, cloud, 0.1, 4, last) == "");
  CHECK(kernels.ball_query.declines(cloud, cloud, 0.1, 4, ops::SumOrder::left_to_right) != "");
  CHECK(kernels.knn.declines(cloud, cloud, 3, last) == "");
  CHECK(kernels.knn.declines(cloud, cloud, 65, last) != "");
  CHECK(kernels.knn.declines(cloud, cloud, 3, ops::SumOrder::left_to_right) != "");
  CHECK(kernels.knn.declines(cloud.clone().requires_grad_(), cloud, 3, last) != "");
}

TEST_CASE("the cylinder kernel of CUDA declines products that are less than float32") {
  const auto kernel = ops::cuda_kernels().cylinder_query;
  const at::Tensor cloud = ops::seeded_cloud(ops::CloudKind::uniform, 1, 8, 1);
  const at::Tensor rotation = ops::seeded_rotations(1, 8, 2);
  const auto reason = [&] { return kernel.declines(cloud, cloud, rotation, 0.1, 0, 1, 4); };
  CHECK(reason() == "");
  at::globalContext().setAllowTF32CuBLAS(true);
  CHECK(reason().find("TF32") != std::string::npos);
  at::globalContext().setAllowTF32CuBLAS(false);
  at::autocast::set_autocast_enabled(at::kCUDA, true);
  CHECK(reason().find("autocast") != std::string::npos);
  at::autocast::set_autocast_enabled(at::kCUDA, false);
  CHECK(reason() == "");
}

}  // namespace grasppanda::tests
