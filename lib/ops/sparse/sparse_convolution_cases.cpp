#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <iterator>
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
    cases.push_back({std::move(name),
                     {},
                     seeded_values({map->in_rows, in}, seed++),
                     seeded_values({map->out_rows, out}, seed++),
                     sparse_weights(kernel, bias ? seeded_values({out}, seed++) : at::Tensor()),
                     std::move(map),
                     fusion});
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

SparseConvolutionCase random_sparse_convolution_case(std::uint64_t seed, std::int64_t rows) {
  SeededNumbers numbers(seed);
  constexpr std::int64_t kWidths[] = {1, 3, 4, 8, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 96};
  const auto width = [&] { return kWidths[numbers.below(std::size(kWidths))]; };
  rows = std::min<std::int64_t>(rows, 600);  // the products in float64 are what takes the time
  const std::int32_t least = static_cast<std::int32_t>(std::cbrt(static_cast<double>(rows))) + 1;
  SparseConvolutionCase c;
  c.coords =
      seeded_coordinates(rows, least + static_cast<std::int32_t>(numbers.below(20)), seed + 1);
  const CoordinateMap map(c.coords, 1);
  switch (numbers.below(5)) {
    case 0:
      c.map = neighbour_map(map, 5);
      break;
    case 1:
      c.map = halve(map).down;
      break;
    case 2:
      c.map = halve(map).up;
      break;
    case 3:
      c.map = pointwise_map(rows);
      break;
    default:
      c.map = neighbour_map(map, 3);
  }
  const std::int64_t in = width(), out = width();
  c.name = "drawn";
  c.feats = seeded_values({c.map->in_rows, in}, seed + 2);
  c.start = seeded_values({c.map->out_rows, out}, seed + 3);
  c.weights = sparse_weights(seeded_values({c.map->offsets(), in, out}, seed + 4),
                             numbers.below(2) == 0 ? seeded_values({out}, seed + 5) : at::Tensor());
  c.fusion = {numbers.below(2) == 0, numbers.below(2) == 0};
  return c;
}

SparseConvolutionCase sparse_convolution_scene(std::int64_t rows, std::int64_t kernel_size,
                                               std::int64_t in, std::int64_t out) {
  // A wavy sheet: the occupied voxels of a depth image are one cell thick.
  const auto side = static_cast<std::int64_t>(std::sqrt(static_cast<double>(rows)));
  at::Tensor coords = at::zeros({side * side, 4}, at::kInt);
  std::int32_t* c = coords.data_ptr<std::int32_t>();
  for (std::int64_t x = 0; x < side; ++x)
    for (std::int64_t y = 0; y < side; ++y, c += 4) {
      c[1] = static_cast<std::int32_t>(x);
      c[2] = static_cast<std::int32_t>(y);
      c[3] = static_cast<std::int32_t>(8 * std::sin(0.1 * static_cast<double>(x)) +
                                       6 * std::sin(0.13 * static_cast<double>(y)));
    }
  coords = coords.index_select(0, curve_order(coords));
  SparseConvolutionCase scene;
  scene.name = "scene";
  scene.map = neighbour_map(CoordinateMap(coords, 1), kernel_size);
  scene.feats = seeded_values({scene.map->in_rows, in}, 5);
  scene.start = at::zeros({scene.map->out_rows, out});
  scene.weights = sparse_weights(seeded_values({scene.map->offsets(), in, out}, 6));
  scene.fusion.relu = true;
  return scene;
}

std::string compare_sparse_convolution(const Kernel<SparseConvolutionFn>& kernel,
                                       c10::Device device, const SparseConvolutionCase& c) {
  const auto place = [&](const at::Tensor& tensor) {
    return tensor.defined() ? tensor.to(device) : tensor;
  };
  const at::Tensor out = c.start.to(device, at::kFloat, false, /*copy=*/true);
  kernel.run(out, place(c.feats), sparse_weights(place(c.weights.kernel), place(c.weights.bias)),
             c.map, c.fusion);
  std::string difference = beyond_rounding(c, out);
  if (difference.empty() && device.is_cuda() && c.coords.defined())
    difference = first_difference(sparse_cuda_kernels().kernel_maps(c.coords.to(device), 2),
                                  kernel_maps_on_cpu(c.coords, 2));
  return difference;
}

std::string check_sparse_convolution(const Kernel<SparseConvolutionFn>& kernel,
                                     c10::Device device) {
  for (const SparseConvolutionCase& c : sparse_convolution_cases())
    if (const std::string difference = compare_sparse_convolution(kernel, device, c);
        !difference.empty())
      return c.name + ": " + difference;
  return device.is_cuda() ? check_kernel_maps(sparse_cuda_kernels(), device) : std::string();
}

}  // namespace grasppanda::ops
