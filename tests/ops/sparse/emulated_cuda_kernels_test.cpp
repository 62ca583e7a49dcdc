// The CUDA kernels of sparse tensors on the CPU, thread by thread, against the CPU's maps and the
// reference: their logic is tested where there is no GPU. Sizes: one below, at and one above what a
// block or a tile takes.
//
//   | what           | rows of a block    | sizes                                              |
//   | -------------- | ------------------ | -------------------------------------------------- |
//   | maps           | 256 rows or pairs  | 0 1 2 255 256 257 511 512 513                      |
//   | rows           | tiles of 32 and 64 | 1 31 32 33 63 64 65, 4200 for the large tiles      |
//   | columns        | tiles of 32 and 64 | 1 3 4 31 32 33 63 64 65 96                         |
//   | depth          | pieces of 16       | 1 3 4 15 16 17 31 32 33                            |
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "lib/ops/sparse/cuda_kernels.h"
#include "tests/catch.h"
#include "tests/ops/golden_cases.h"
#include "tests/ops/refused.h"
#include "tests/ops/sparse/emulated_cuda_kernels.h"

namespace grasppanda::tests {
namespace {

ops::SparseCudaKernels kernels() {
  return ops::sparse_cuda_kernels_of(emulated_sparse_cuda_functions());
}

/// A call with seeded values; `map` in either form.
ops::SparseConvolutionCase drawn_case(const ops::SharedKernelMap& map, int64_t in, int64_t out,
                                      bool bias, ops::SparseFusion fusion) {
  return {"drawn",
          {},
          at::randn({map->in_rows, in}),
          at::randn({map->out_rows, out}),
          ops::sparse_weights(at::randn({map->offsets(), in, out}),
                              bias ? at::randn({out}) : at::Tensor()),
          map,
          fusion};
}

at::Tensor run(const ops::SparseConvolutionCase& c) {
  at::Tensor out = c.start.clone();
  kernels().sparse_convolution.run(out, c.feats, c.weights, c.map, c.fusion);
  return out;
}

}  // namespace

TEST_CASE("emulated CUDA: the maps of a pyramid equal those of the CPU") {
  CHECK(ops::check_kernel_maps(kernels(), at::kCPU) == "");
  uint64_t seed = 41;
  for (const int64_t rows : {0, 1, 2, 255, 256, 257, 511, 512, 513})
    for (const int32_t extent : {8, 9, 60}) {
      INFO(rows << " rows, extent " << extent);
      const at::Tensor coords = ops::seeded_coordinates(rows, extent, seed++);
      CHECK(ops::first_difference(kernels().kernel_maps(coords, 4),
                                  ops::kernel_maps_on_cpu(coords, 4)) == "");
    }
}

TEST_CASE("emulated CUDA: maps at the ends of the range of positions") {
  constexpr int32_t most = ops::kLargestPosition;
  const at::Tensor coords = at::tensor({0, most,  -most, 0,     0, -most,    most,     0,
                                        0, most,  -most, -2,    7, most - 1, 0,        most,
                                        0, -most, -most, -most, 0, 1 - most, 1 - most, 2 - most},
                                       at::kInt)
                                .view({6, 4});
  CHECK(ops::first_difference(kernels().kernel_maps(coords, 4),
                              ops::kernel_maps_on_cpu(coords, 4)) == "");
}

TEST_CASE("emulated CUDA: coordinates that are refused") {
  const auto refused = [](const at::Tensor& coords, const std::string& why) {
    check_refused("sparse_convolution", why, [&] { kernels().kernel_maps(coords, 2); });
  };
  refused(at::tensor({0, 1, 2, 3, 0, 1, 2, 3}, at::kInt).view({2, 4}),
          "coords holds a coordinate twice or beyond 2^30 in row 1");
  refused(at::tensor({0, 1, 2, ops::kLargestPosition + 1}, at::kInt).view({1, 4}), "in row 0");
  refused(at::zeros({2, 3}, at::kInt), "coords is Int (2, 3), wants (N, 4) int32");
  refused(at::zeros({2, 4}), "coords is Float (2, 4)");
}

TEST_CASE("emulated CUDA: the cases of the self-check of sparse_convolution") {
  CHECK(ops::check_sparse_convolution(kernels().sparse_convolution, at::kCPU) == "");
}

TEST_CASE("emulated CUDA: sparse_convolution around the widths of its tiles") {
  at::manual_seed(21);
  int calls = 0;
  const auto check = [&](const ops::SharedKernelMap& map, int64_t in, int64_t out) {
    const ops::SparseFusion fusion{calls % 2 == 1, calls % 3 == 1};
    const auto c = drawn_case(map, in, out, calls % 5 < 2, fusion);
    INFO(map->out_rows << " rows, " << in << " -> " << out << ", add " << fusion.add << ", relu "
                       << fusion.relu);
    CHECK(ops::beyond_rounding(c, run(c)) == "");
    ++calls;
  };
  for (const int64_t rows : {1, 31, 32, 33, 63, 64, 65}) {
    const auto maps = kernels().kernel_maps(ops::seeded_coordinates(rows, 5, 3 + rows), 1);
    for (const int64_t out : {1, 3, 4, 31, 32, 33, 63, 64, 65, 96}) check(maps.around[0], 8, out);
    for (const int64_t in : {1, 3, 4, 15, 16, 17, 31, 32, 33}) {
      check(maps.wide, in, 4);
      check(maps.down[0], in, 36);
      check(maps.up[0], in, 33);
      check(ops::pointwise_map(rows), in, 32);
    }
  }
  CHECK(calls == 7 * (10 + 9 * 4));
}

TEST_CASE("emulated CUDA: the tiles of large layers, the same sums") {
  at::manual_seed(22);
  const at::Tensor coords = ops::seeded_coordinates(17000, 40, 5);
  const auto maps = kernels().kernel_maps(coords, 1);
  for (const int64_t out : {32, 64}) {  // 64 x 32 and 64 x 64
    const auto c = drawn_case(maps.up[0], 5, out, true, {false, true});
    const at::Tensor all = run(c);
    CHECK(ops::beyond_rounding(c, all) == "");
    // Few rows go through small tiles.
    auto few = std::make_shared<ops::KernelMap>(*c.map);
    few->out_rows = 100;
    few->source = c.map->source.narrow(1, 0, 100).contiguous();
    few->order = at::Tensor();
    auto part = c;
    part.map = few;
    part.start = c.start.narrow(0, 0, 100);
    CHECK(run(part).equal(all.narrow(0, 0, 100)));
  }
}

TEST_CASE("emulated CUDA: an absent input row takes no part, whatever the weights") {
  at::manual_seed(23);
  const auto maps = kernels().kernel_maps(ops::seeded_coordinates(90, 9, 6), 1);
  auto c = drawn_case(maps.around[0], 8, 12, false, {});
  const float infinity = std::numeric_limits<float>::infinity();
  at::Tensor kernel = c.weights.kernel.clone();
  kernel[0].fill_(infinity);
  kernel[26].fill_(std::numeric_limits<float>::quiet_NaN());
  const at::Tensor plain = run(c);
  c.weights = ops::sparse_weights(kernel);
  const at::Tensor out = run(c);
  const at::Tensor met =
      maps.around[0]->source[0].ge(0).logical_or(maps.around[0]->source[26].ge(0));
  REQUIRE(met.any().item<bool>());
  REQUIRE(!met.all().item<bool>());
  const at::Tensor rest = met.logical_not().nonzero().squeeze(1);
  CHECK(out.index_select(0, rest).equal(plain.index_select(0, rest)));
  CHECK(at::isfinite(out).logical_not().all(1).equal(met));
}

TEST_CASE("emulated CUDA: rows that lie apart, channels that do not start at 16 bytes") {
  at::manual_seed(24);
  const auto maps = kernels().kernel_maps(ops::seeded_coordinates(80, 6, 7), 1);
  const auto c = drawn_case(maps.around[0], 16, 40, true, {false, true});
  const at::Tensor want = run(c);
  for (const int64_t shift : {0, 1, 4}) {
    const at::Tensor wide = at::randn({80, 52});
    wide.narrow(1, shift, 16).copy_(c.feats);
    at::Tensor apart = at::full({80, 100}, 7.0F);
    kernels().sparse_convolution.run(apart.narrow(1, 20 + shift, 40), wide.narrow(1, shift, 16),
                                     c.weights, c.map, c.fusion);
    CHECK(apart.narrow(1, 20 + shift, 40).equal(want));
    CHECK(apart.narrow(1, 0, 20 + shift).eq(7).all().item<bool>());
    CHECK(apart.narrow(1, 60 + shift, 40 - shift).eq(7).all().item<bool>());
  }
}

TEST_CASE("emulated CUDA: the recorded layers of MinkowskiEngine") {
  GP_NEED_DATA(folder, "goldens/gsnet/mink_ops");
  const auto load = [&](const std::string& name) { return npy_tensor(folder / (name + ".npy")); };
  const at::Tensor in_coords = load("in_coords");
  const auto maps = kernels().kernel_maps(in_coords, 3);
  const auto same_order = [](const at::Tensor& coords, const at::Tensor& wanted) {
    return coords.unsqueeze(0).eq(wanted.unsqueeze(1)).all(2).to(at::kInt).argmax(1);
  };
  // The rows that the goldens have, in our order: what a layer takes and gives.
  struct Layer {
    std::string name, input;
    ops::SharedKernelMap map;
    std::size_t in, out;  // levels
  };
  const std::vector<Layer> layers = {{"k5s1", "in", maps.wide, 0, 0},
                                     {"k3s1", "in", maps.around[0], 0, 0},
                                     {"k1s1", "in", ops::pointwise_map(in_coords.size(0)), 0, 0},
                                     {"k2s2", "in", maps.down[0], 0, 1},
                                     {"k3s1_stride2", "k2s2", maps.around[1], 1, 1},
                                     {"k2s2_stride2to4", "k2s2", maps.down[1], 1, 2},
                                     {"k2s2_stride4to8", "k2s2_stride2to4", maps.down[2], 2, 3},
                                     {"t2s2_stride8to4", "k2s2_stride4to8", maps.up[2], 3, 2},
                                     {"t2s2_stride4to2", "t2s2_stride8to4", maps.up[1], 2, 1},
                                     {"t2s2_stride2to1", "t2s2_stride4to2", maps.up[0], 1, 0}};
  for (const Layer& layer : layers) {
    INFO(layer.name);
    const std::string input = layer.input == "in" ? "in_" : layer.input + "_out_";
    const at::Tensor want_coords = load(layer.name + "_out_coords");
    REQUIRE(want_coords.size(0) == maps.coords[layer.out].size(0));
    const at::Tensor feats =
        load(input + "feats")
            .index_select(0, same_order(load(input + "coords"), maps.coords[layer.in]));
    const ops::SparseWeights weights = ops::sparse_weights(load(layer.name + "_kernel"));
    at::Tensor out = at::empty({layer.map->out_rows, weights.out_channels()});
    kernels().sparse_convolution.run(out, feats, weights, layer.map, {});
    const at::Tensor want = load(layer.name + "_out_feats");
    const double largest = want.abs().max().item<double>();
    REQUIRE(largest > 0.1);
    CHECK((out.index_select(0, same_order(maps.coords[layer.out], want_coords)) - want)
              .abs()
              .max()
              .item<double>() < 2e-6 * largest);
  }
}

TEST_CASE("a map is the same as pairs and as a table, for the reference too") {
  at::manual_seed(25);
  const at::Tensor coords = ops::seeded_coordinates(120, 7, 8);
  const auto tables = kernels().kernel_maps(coords, 1);
  const auto pairs = ops::kernel_maps_on_cpu(coords, 1);
  const ops::SparseWeights weights = ops::sparse_weights(at::randn({27, 6, 5}));
  const at::Tensor feats = at::randn({120, 6});
  at::Tensor a = at::empty({120, 5}), b = at::empty({120, 5});
  ops::sparse_convolution_reference(a, feats, weights, tables.around[0], {});
  ops::sparse_convolution_reference(b, feats, weights, pairs.around[0], {});
  CHECK(a.equal(b));
  CHECK(ops::pair_count(*tables.wide) == ops::pair_count(*pairs.wide));
  for (const auto& kernel : ops::sparse_convolution_kernels().kernels_on(at::kCPU))
    if (kernel.name == "cpu")
      CHECK(kernel.declines(a, feats, weights, tables.around[0], {}).find("table") !=
            std::string::npos);
}

}  // namespace grasppanda::tests
