#include <ATen/ATen.h>

#include <utility>

#include "lib/ops/seeded_clouds.h"
#include "lib/ops/sparse/cuda_kernels.h"
#include "lib/ops/sparse/sparse_convolution.h"

namespace grasppanda::ops {
namespace {

constexpr double kRounding = 4e-6;  // of start + sum |in| |W|: the contract

at::Tensor seeded_values(at::IntArrayRef shape, std::uint64_t seed) {
  SeededNumbers numbers(seed);
  at::Tensor values = at::empty(shape, at::kFloat);
  float* out = values.data_ptr<float>();
  for (std::int64_t i = 0; i < values.numel(); ++i) out[i] = 2 * numbers.uniform() - 1;
  return values;
}

}  // namespace

at::Tensor seeded_coordinates(std::int64_t rows, std::int32_t extent, std::uint64_t seed) {
  SeededNumbers numbers(seed);
  at::Tensor coords = at::empty({rows, 4}, at::kInt);
  std::int32_t* out = coords.data_ptr<std::int32_t>();
  const std::int64_t cells = 2 * std::int64_t{extent} * extent * extent;
  std::vector<bool> taken(static_cast<std::size_t>(cells));
  for (std::int64_t row = 0; row < rows; ++row) {
    std::int64_t cell = numbers.below(cells);
    while (taken[static_cast<std::size_t>(cell)]) cell = (cell + 1) % cells;
    taken[static_cast<std::size_t>(cell)] = true;
    *out++ = static_cast<std::int32_t>(cell % 2);
    for (std::int64_t rest = cell / 2, axis = 0; axis < 3; ++axis, rest /= extent)
      *out++ = static_cast<std::int32_t>(rest % extent) - extent / 2;
  }
  return coords;
}

std::vector<SparseConvolutionCase> sparse_convolution_cases() {
  std::vector<SparseConvolutionCase> cases;
  std::uint64_t seed = 901;
  const auto add = [&](std::string name, SharedKernelMap map, std::int64_t in, std::int64_t out,
                       bool bias, SparseFusion fusion) {
    const at::Tensor kernel = seeded_values({map->offsets(), in, out}, seed++);
    cases.push_back({std::move(name), seeded_values({map->in_rows, in}, seed++),
                     seeded_values({map->out_rows, out}, seed++),
                     sparse_weights(kernel, bias ? seeded_values({out}, seed++) : at::Tensor()),
                     std::move(map), fusion});
  };
  const CoordinateMap dense(seeded_coordinates(210, 6, 1), 1),
      thin(seeded_coordinates(90, 20, 2), 1);
  const CoordinateMap one(at::tensor({0, -3, 5, 7}, at::kInt).view({1, 4}), 1);
  const CoordinateMap none(at::empty({0, 4}, at::kInt), 1);
  add("3/1, whole panels", neighbour_map(dense, 3), 19, 64, false, {});
  add("3/1, bias and ReLU, half a panel", neighbour_map(dense, 3), 8, 48, true, {false, true});
  add("3/1, residual", neighbour_map(thin, 3), 33, 32, true, {true, true});
  add("5/1, few channels", neighbour_map(dense, 5), 3, 5, false, {});
  add("1/1", pointwise_map(57), 40, 96, true, {true, false});
  const Halving level = halve(dense), next = halve(*level.coarse);
  add("2/2", level.down, 7, 36, true, {false, true});
  add("2/2 from stride 2", next.down, 5, 4, false, {});
  add("transposed 2/2", level.up, 12, 33, false, {false, true});
  add("one row", neighbour_map(one, 3), 4, 1, true, {});
  add("no rows", neighbour_map(none, 3), 4, 8, true, {});
  return cases;
}

std::string beyond_rounding(const SparseConvolutionCase& c, const at::Tensor& got) {
  const auto wide = [](const at::Tensor& tensor) {
    return tensor.defined() ? tensor.to(at::kCPU, at::kDouble) : tensor;
  };
  const auto sum = [&](bool absolute) {
    const auto value = [&](const at::Tensor& tensor) {
      const at::Tensor result = wide(tensor);
      return absolute && result.defined() ? result.abs() : result;
    };
    at::Tensor out = value(c.start).clone();
    sparse_convolution_reference(out, value(c.feats),
                                 sparse_weights(value(c.weights.kernel), value(c.weights.bias)),
                                 c.map, c.fusion);
    return out;
  };
  const at::Tensor want = sum(false), bound = sum(true) * kRounding;
  if (got.sizes() != want.sizes()) return "another shape";
  const at::Tensor close = (wide(got) - want).abs().le(bound);  // false for NaN
  if (close.all().item<bool>()) return {};
  const std::int64_t at = close.logical_not().view({-1}).nonzero()[0].item<std::int64_t>();
  return "element " + std::to_string(at) + " is " +
         std::to_string(wide(got).reshape({-1})[at].item<double>()) + ", the reference has " +
         std::to_string(want.reshape({-1})[at].item<double>());
}

std::string check_sparse_convolution(const Kernel<SparseConvolutionFn>& kernel,
                                     c10::Device device) {
  for (const SparseConvolutionCase& c : sparse_convolution_cases()) {
    const auto place = [&](const at::Tensor& tensor) {
      return tensor.defined() ? tensor.to(device) : tensor;
    };
    const at::Tensor out = c.start.to(device, at::kFloat, false, /*copy=*/true);
    kernel.run(out, place(c.feats), sparse_weights(place(c.weights.kernel), place(c.weights.bias)),
               c.map, c.fusion);
    const std::string difference = beyond_rounding(c, out);
    if (!difference.empty()) return c.name + ": " + difference;
  }
  return device.is_cuda() ? check_kernel_map_pyramid(sparse_cuda_kernels(), device) : std::string();
}

}  // namespace grasppanda::ops
