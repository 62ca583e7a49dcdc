// The CUDA kernels of sparse tensors on a GPU. Without one the same kernels run emulated
// (emulated_cuda_kernels_test.cpp); GRASPPANDA_REQUIRE=cuda makes its absence a failure.
#include "lib/ops/sparse/cuda_kernels.h"

#include <tuple>

#include "lib/ops/cuda_devices.h"
#include "tests/catch.h"
#include "tests/ops/need_cuda.h"

namespace grasppanda::tests {
TEST_CASE("the CUDA kernels of sparse tensors: maps and self-check") {
  GP_NEED_CUDA();
  const c10::Device device(c10::kCUDA, 0);
  CHECK(ops::check_kernel_maps(ops::sparse_cuda_kernels(), device) == "");
  CHECK(ops::check_sparse_convolution(ops::sparse_cuda_kernels().sparse_convolution, device) == "");
  const ops::Settled settled = ops::sparse_convolution_kernels().settle(device);
  CHECK(settled.backend == ops::Backend::compiled);
  CHECK(settled.note == "");
}

TEST_CASE("the CUDA kernels of sparse tensors: layers of the U-Net's sizes") {
  GP_NEED_CUDA();
  const c10::Device device(c10::kCUDA, 0);
  at::manual_seed(31);
  for (const int64_t rows : {63, 64, 65, 2000, 10007}) {
    const at::Tensor coords = ops::seeded_coordinates(rows, 45, 9);
    const auto maps = ops::kernel_maps_on(device, coords, 4);
    CHECK(ops::first_difference(maps, ops::kernel_maps_on_cpu(coords, 4)) == "");
    REQUIRE(maps.wide->source.defined());
    for (const auto& [map, in, out] : {std::tuple{maps.wide, 3, 32},
                                       {maps.around[0], 224, 192},
                                       {maps.down[0], 32, 32},
                                       {maps.up[0], 192, 192},
                                       {maps.around[4], 128, 256}}) {
      ops::SparseConvolutionCase c{
          "a layer",
          {},
          at::randn({map->in_rows, in}),
          at::randn({map->out_rows, out}),
          ops::sparse_weights(at::randn({map->offsets(), in, out}), at::randn({out})),
          map,
          {true, true}};
      at::Tensor got = c.start.to(device);
      ops::sparse_convolution_into(
          got, c.feats.to(device),
          ops::sparse_weights(c.weights.kernel.to(device), c.weights.bias.to(device)), map,
          c.fusion);
      CHECK(ops::beyond_rounding(c, got) == "");
    }
  }
}

TEST_CASE("sparse_convolution: which kernel is for which device") {
  const auto kernels = ops::sparse_convolution_kernels().kernels();
  REQUIRE(kernels.size() == 3);
  CHECK(kernels[0].name == "cuda");
  CHECK(kernels[0].missing(c10::kCPU) == ops::kForAnotherDevice);
  CHECK(kernels[1].name == "cpu");
  CHECK(kernels[1].missing(c10::kCUDA) == ops::kForAnotherDevice);
  if (ops::cuda_device_count() > 0) return;
  const ops::ScopedBackends compiled(ops::all_backends(ops::Backend::compiled));
  CHECK(ops::sparse_convolution_kernels().settle(c10::kCUDA).note == ops::why_no_cuda_device());
}

}  // namespace grasppanda::tests
