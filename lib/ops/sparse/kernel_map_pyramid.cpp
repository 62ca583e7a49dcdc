#include "lib/ops/sparse/kernel_map_pyramid.h"

#include <ATen/ATen.h>

#include <memory>
#include <string>
#include <utility>

#include "lib/ops/self_check.h"
#include "lib/ops/sparse/cuda_kernels.h"

namespace grasppanda::ops {
namespace {

std::string map_difference(const std::string& what, const SharedKernelMap& got,
                           const SharedKernelMap& want) {
  if (got->in_rows != want->in_rows || got->out_rows != want->out_rows)
    return what + " is of " + std::to_string(got->in_rows) + " and " +
           std::to_string(got->out_rows) + " rows, the CPU's of " + std::to_string(want->in_rows) +
           " and " + std::to_string(want->out_rows);
  return first_difference(what, source_table(*got, at::kCPU), source_table(*want, at::kCPU));
}

}  // namespace

KernelMapPyramid kernel_maps_on(c10::Device device, const at::Tensor& coords, int halvings) {
  if (device.is_cuda() && sparse_convolution_kernels().settle(device).backend == Backend::compiled)
    return sparse_cuda_kernels().kernel_maps(coords.to(device), halvings);
  return kernel_maps_on_cpu(coords, halvings);
}

KernelMapPyramid kernel_maps_on_cpu(const at::Tensor& coords, int halvings) {
  KernelMapPyramid pyramid;
  auto level = std::make_shared<const CoordinateMap>(coords, 1);
  for (int i = 0;; ++i) {
    pyramid.coords.push_back(level->coords());
    const auto maps = neighbour_maps(
        *level, i == 0 ? std::vector<std::int64_t>{3, 5} : std::vector<std::int64_t>{3});
    pyramid.around.push_back(maps.front());
    if (i == 0) pyramid.wide = maps.back();
    if (i == halvings) return pyramid;
    Halving half = halve(*level);
    pyramid.down.push_back(std::move(half.down));
    pyramid.up.push_back(std::move(half.up));
    level = std::move(half.coarse);
  }
}

std::string first_difference(const KernelMapPyramid& got, const KernelMapPyramid& want) {
  if (got.coords.size() != want.coords.size()) return "another number of levels";
  std::string difference = map_difference("the 5/1 map", got.wide, want.wide);
  for (std::size_t i = 0; i < want.coords.size() && difference.empty(); ++i) {
    const std::string level = " of level " + std::to_string(i);
    difference = first_difference("coords" + level, got.coords[i], want.coords[i]);
    if (difference.empty())
      difference = map_difference("the 3/1 map" + level, got.around[i], want.around[i]);
    if (i + 1 == want.coords.size()) break;
    if (difference.empty())
      difference = map_difference("the 2/2 map" + level, got.down[i], want.down[i]);
    if (difference.empty())
      difference = map_difference("the transposed map" + level, got.up[i], want.up[i]);
  }
  return difference;
}

std::string check_kernel_maps(const SparseCudaKernels& kernels, c10::Device device) {
  constexpr int halvings = 4;
  std::uint64_t seed = 951;
  for (const auto& [rows, extent] :
       {std::pair{0, 2}, {1, 9}, {255, 40}, {256, 7}, {257, 6}, {700, 9}}) {
    const at::Tensor coords = seeded_coordinates(rows, extent, seed++);
    const std::string difference = first_difference(
        kernels.kernel_maps(coords.to(device), halvings), kernel_maps_on_cpu(coords, halvings));
    if (!difference.empty()) return "maps of " + std::to_string(rows) + " rows: " + difference;
  }
  return {};
}

}  // namespace grasppanda::ops
