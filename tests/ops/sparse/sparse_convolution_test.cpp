#include "lib/ops/sparse/sparse_convolution.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "lib/ops/cpu_isa.h"
#include "lib/ops/operator_list.h"
#include "lib/ops/sparse/sparse_layer.h"
#include "tests/catch.h"
#include "tests/ops/refused.h"
#include "tests/ops/thread_count.h"

namespace grasppanda::tests {
namespace {

at::Tensor coords_of(const std::vector<std::vector<int>>& rows) {
  at::Tensor coords = at::empty({static_cast<int64_t>(rows.size()), 4}, at::kInt);
  for (std::size_t i = 0; i < rows.size(); ++i)
    for (int64_t c = 0; c < 4; ++c)
      coords[static_cast<int64_t>(i)][c] = rows[i][static_cast<std::size_t>(c)];
  return coords;
}

at::Tensor random_coords(int64_t rows, int extent) {
  std::set<std::tuple<int, int, int, int>> taken;
  at::Tensor coords = at::empty({rows, 4}, at::kInt);
  for (int64_t row = 0; row < rows;) {
    const at::Tensor c = at::randint(-extent, extent, {4}, at::kInt);
    const int32_t* v = c.const_data_ptr<int32_t>();
    if (!taken.insert({v[0] & 1, v[1], v[2], v[3]}).second) continue;
    coords[row].copy_(c);
    coords[row++][0].bitwise_and_(1);
  }
  return coords;
}

using Where = std::vector<int32_t>;
std::map<Where, int64_t> rows_by_place(const at::Tensor& coords) {
  std::map<Where, int64_t> rows;
  const int32_t* c = coords.const_data_ptr<int32_t>();
  for (int64_t i = 0; i < coords.size(0); ++i) rows[Where(c + 4 * i, c + 4 * i + 4)] = i;
  return rows;
}

/// The definition, in double: out[u] = sum over j of in[u + offset_j] * W_j.
at::Tensor brute_force(const at::Tensor& in_coords, const at::Tensor& feats,
                       const at::Tensor& out_coords, const at::Tensor& kernel, int64_t size,
                       int32_t step) {
  const auto rows = rows_by_place(in_coords);
  const at::Tensor offsets = ops::kernel_offsets(size);
  at::Tensor out = at::zeros({out_coords.size(0), kernel.size(2)}, at::kDouble);
  const int32_t* c = out_coords.const_data_ptr<int32_t>();
  const int32_t* o = offsets.const_data_ptr<int32_t>();
  for (int64_t u = 0; u < out.size(0); ++u)
    for (int64_t j = 0; j < offsets.size(0); ++j) {
      const Where at = {c[4 * u], c[4 * u + 1] + step * o[3 * j],
                        c[4 * u + 2] + step * o[3 * j + 1], c[4 * u + 3] + step * o[3 * j + 2]};
      const auto found = rows.find(at);
      if (found != rows.end())
        out[u].add_(at::matmul(feats[found->second].to(at::kDouble), kernel[j].to(at::kDouble)));
    }
  return out;
}

void check_close(const at::Tensor& got, const at::Tensor& want) {
  REQUIRE(got.sizes() == want.sizes());
  REQUIRE(got.numel() > 0);
  const double scale = std::max(1.0, want.abs().max().item<double>());
  CHECK((got.to(at::kDouble) - want).abs().max().item<double>() < 1e-5 * scale);
}

TEST_CASE("sparse_convolution: hand-computed, every kernel") {
  // Three voxels in a row along x and one apart; W_j = j on one channel, so a sum names its terms.
  const ops::CoordinateMap map(coords_of({{0, -1, 0, 0}, {0, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 9, 0}}),
                               1);
  const at::Tensor feats = at::tensor({1.F, 10.F, 100.F, 1000.F}).view({4, 1});
  const at::Tensor kernel = at::arange(27, at::kFloat).view({27, 1, 1});
  const auto neighbours = ops::neighbour_map(map, 3);
  for (const auto& choice : ops::sparse_convolution_kernels().kernels_on(at::kCPU)) {
    INFO(choice.name);
    at::Tensor out = at::full({4, 1}, 0.5F);
    choice.run(out, feats, ops::sparse_weights(kernel), neighbours, {});
    // The centre is offset 13, x - 1 offset 12, x + 1 offset 14.
    CHECK(out.equal(at::tensor({13.F * 1 + 14 * 10, 12.F * 1 + 13 * 10 + 14 * 100,
                                12.F * 10 + 13 * 100, 13000.F})
                        .view({4, 1})));
    const ops::SparseWeights biased = ops::sparse_weights(kernel, at::tensor({-1500.F}));
    choice.run(out, feats, biased, neighbours, {false, true});
    CHECK(out.equal(at::tensor({0.F, 42.F, 0.F, 11500.F}).view({4, 1})));
    out.fill_(100);
    choice.run(out, feats, biased, neighbours, {true, true});
    CHECK(out.equal(at::tensor({0.F, 142.F, 20.F, 11600.F}).view({4, 1})));
  }
}

TEST_CASE("sparse_convolution: every kernel against loops, all layer kinds and widths") {
  at::manual_seed(11);
  int calls = 0;
  for (const int extent : {3, 8})
    for (const auto& [in, out] :
         std::vector<std::pair<int64_t, int64_t>>{{1, 1}, {3, 4}, {3, 32}, {31, 33}, {40, 96}}) {
      const at::Tensor coords = random_coords(150, extent);
      const at::Tensor feats = at::randn({150, in});
      const ops::CoordinateMap map(coords, 1);
      for (const int64_t size : {1, 3, 5}) {
        const at::Tensor kernel = at::randn({size * size * size, in, out}) / 4;
        const auto neighbours = ops::neighbour_map(map, size);
        const at::Tensor want = brute_force(coords, feats, coords, kernel, size, 1);
        for (const auto& choice : ops::sparse_convolution_kernels().kernels_on(at::kCPU)) {
          INFO(choice.name << " extent " << extent << " " << in << " -> " << out << " size "
                           << size);
          at::Tensor got = at::empty({150, out});
          choice.run(got, feats, ops::sparse_weights(kernel), neighbours, {});
          check_close(got, want);
          ++calls;
        }
      }
      // Down to stride 2 and up again.
      const ops::Halving level = ops::halve(map);
      const at::Tensor coarse = level.coarse->coords();
      const at::Tensor kernel = at::randn({8, in, out}) / 4;
      const at::Tensor want = brute_force(coords, feats, coarse, kernel, 2, 1);
      const at::Tensor back = at::randn({8, out, in}) / 4;
      for (const auto& choice : ops::sparse_convolution_kernels().kernels_on(at::kCPU)) {
        at::Tensor got = at::empty({coarse.size(0), out}), up = at::empty({150, in});
        choice.run(got, feats, ops::sparse_weights(kernel), level.down, {});
        check_close(got, want);
        choice.run(up, want.to(at::kFloat), ops::sparse_weights(back), level.up, {});
        // One term for each fine row: its cell, by its place in the cell.
        const auto cells = rows_by_place(coarse);
        const int32_t* c = coords.const_data_ptr<int32_t>();
        at::Tensor want_up = at::empty({150, in}, at::kDouble);
        for (int64_t row = 0; row < 150; ++row) {
          Where cell = {c[4 * row]};
          int64_t j = 0;
          for (int axis = 1; axis < 4; ++axis) {
            const int32_t value = c[4 * row + axis];
            j += int64_t{value & 1} << (axis - 1);
            cell.push_back(value - (value & 1));
          }
          want_up[row] = at::matmul(want[cells.at(cell)], back[j].to(at::kDouble));
        }
        check_close(up, want_up);
        ++calls;
      }
    }
  CHECK(calls == 2 * 5 * 4 * 2);
}

TEST_CASE("sparse_convolution: the cases of the self-check, every kernel and instruction set") {
  for (const std::string& isa : ops::available_cpu_isas()) {
    REQUIRE(ops::use_cpu_isa(isa));
    for (const auto& kernel : ops::sparse_convolution_kernels().kernels_on(at::kCPU)) {
      INFO(kernel.name << " on " << isa);
      CHECK(ops::check_sparse_convolution(kernel, at::kCPU).empty());
    }
  }
  ops::use_cpu_isa("");
}

TEST_CASE("sparse_convolution: a kernel that is wrong is found out and not used") {
  auto& list = ops::sparse_convolution_kernels();
  auto broken = list.kernels_on(at::kCPU).front();
  broken.name = "broken";
  broken.run = [](const at::Tensor& out, const at::Tensor& feats, const ops::SparseWeights& weights,
                  const ops::SharedKernelMap& map, const ops::SparseFusion& fusion) {
    ops::sparse_convolution_reference(out, feats, weights, map, fusion);
    if (out.numel() > 0) out.view({-1})[out.numel() - 1] += 1e-3;
  };
  const ops::ScopedKernels scoped(list, {broken});
  CHECK(list.settle(at::kCPU).backend == ops::Backend::reference);
  CHECK(list.settle(at::kCPU).note.find("failed its self-check") != std::string::npos);
}

TEST_CASE("sparse_convolution: threads, order of rows and company change no bit of a row") {
  at::manual_seed(12);
  const at::Tensor coords = random_coords(1500, 10), feats = at::randn({1500, 24});
  const ops::SparseWeights weights = ops::sparse_weights(at::randn({27, 24, 64}), at::randn({64}));
  const auto run = [&](const at::Tensor& where, const at::Tensor& values) {
    const ops::CoordinateMap map(where, 1);
    return ops::sparse_convolution(values, weights, ops::neighbour_map(map, 3), {false, true});
  };
  at::Tensor one, two;
  {
    const ThreadCount threads(1);
    one = run(coords, feats);
  }
  {
    const ThreadCount threads(2);
    two = run(coords, feats);
  }
  CHECK(one.equal(two));
  const at::Tensor order = ops::curve_order(coords);
  CHECK(std::get<0>(order.sort()).equal(at::arange(1500, at::kLong)));
  CHECK(run(coords.index_select(0, order), feats.index_select(0, order))
            .equal(one.index_select(0, order)));
  // One batch item alone gives the same rows.
  const at::Tensor first = coords.select(1, 0).eq(0).nonzero().squeeze(1);
  CHECK(run(coords.index_select(0, first), feats.index_select(0, first))
            .equal(one.index_select(0, first)));
}

TEST_CASE("sparse_convolution: rows that lie apart, NaN that stays where it is met") {
  at::manual_seed(13);
  const ops::CoordinateMap map(random_coords(200, 5), 1);
  const auto neighbours = ops::neighbour_map(map, 3);
  const ops::SparseWeights weights = ops::sparse_weights(at::randn({27, 16, 40}));
  const at::Tensor wide = at::randn({200, 50}), feats = wide.narrow(1, 30, 16);
  for (const auto& kernel : ops::sparse_convolution_kernels().kernels_on(at::kCPU)) {
    INFO(kernel.name);
    at::Tensor apart = at::full({200, 100}, 7.0F), whole = at::empty({200, 40});
    kernel.run(apart.narrow(1, 20, 40), feats, weights, neighbours, {});
    kernel.run(whole, feats.contiguous(), weights, neighbours, {});
    CHECK(apart.narrow(1, 20, 40).equal(whole));
    CHECK(apart.narrow(1, 0, 20).eq(7).all().item<bool>());
    CHECK(apart.narrow(1, 60, 40).eq(7).all().item<bool>());

    at::Tensor spoiled = feats.clone();
    spoiled[17][3] = std::numeric_limits<float>::quiet_NaN();
    at::Tensor out = at::empty({200, 40});
    kernel.run(out, spoiled, weights, neighbours, {false, true});
    at::Tensor met = at::zeros({200}, at::kBool);
    const at::Tensor from = neighbours->in.eq(17);
    met.index_fill_(0, neighbours->out.masked_select(from).to(at::kLong), true);
    CHECK(out.isnan().any(1).equal(met));
    CHECK(out.isnan().all(1).equal(met));
  }
}

TEST_CASE("sparse_convolution: float64 runs on the reference, an empty tensor on all") {
  const ops::CoordinateMap map(random_coords(30, 3), 1);
  const auto neighbours = ops::neighbour_map(map, 3);
  const ops::SparseWeights weights = ops::sparse_weights(at::randn({27, 4, 6}, at::kDouble));
  CHECK(
      ops::sparse_convolution(at::randn({30, 4}, at::kDouble), weights, neighbours).scalar_type() ==
      at::kDouble);
  const ops::CoordinateMap none(at::empty({0, 4}, at::kInt), 1);
  CHECK(ops::sparse_convolution(at::empty({0, 4}), ops::sparse_weights(at::randn({27, 4, 6})),
                                ops::neighbour_map(none, 3))
            .sizes() == at::IntArrayRef{0, 6});
  CHECK(ops::halve(none).coarse->size() == 0);
  CHECK(ops::curve_order(none.coords()).size(0) == 0);
}

TEST_CASE("coordinates: negative cells round down, rows keep the order of their first child") {
  const ops::CoordinateMap fine(
      coords_of({{0, -1, 0, 3}, {1, -2, 1, 2}, {0, -2, 1, 2}, {0, 1, 1, 1}}), 1);
  const ops::Halving level = ops::halve(fine);
  CHECK(level.coarse->tensor_stride() == 2);
  CHECK(level.coarse->coords().equal(coords_of({{0, -2, 0, 2}, {1, -2, 0, 2}, {0, 0, 0, 0}})));
  CHECK(ops::halve(*level.coarse)
            .coarse->coords()
            .equal(coords_of({{0, -4, 0, 0}, {1, -4, 0, 0}, {0, 0, 0, 0}})));
  CHECK(fine.find({0, 1, 1, 1}) == 3);
  CHECK(fine.find({1, 1, 1, 1}) == -1);
  CHECK(level.up->in.size(0) == 4);
  CHECK(level.down->in.size(0) == 4);
}

TEST_CASE(
    "kernel maps: an output row at most once an offset, rows ascend, mirrored offsets mirror") {
  at::manual_seed(14);
  const ops::CoordinateMap map(random_coords(400, 6), 1);
  for (const int64_t size : {3, 5}) {
    const auto found = ops::neighbour_map(map, size);
    const int64_t offsets = found->offsets();
    REQUIRE(offsets == size * size * size);
    int64_t pairs = 0;
    for (int64_t j = 0; j < offsets; ++j) {
      const auto slice = [&](const at::Tensor& rows, int64_t offset) {
        const int64_t begin = found->first[static_cast<std::size_t>(offset)];
        return rows.narrow(0, begin, found->first[static_cast<std::size_t>(offset) + 1] - begin)
            .to(at::kLong);
      };
      const at::Tensor out = slice(found->out, j);
      CHECK((out.diff() > 0).all().item<bool>());
      CHECK(std::get<0>(slice(found->in, offsets - 1 - j).sort()).equal(out));
      pairs += out.size(0);
    }
    CHECK(pairs == found->in.size(0));
    CHECK(pairs > 400 * 2);
  }
}

TEST_CASE("sparse_convolution: what is refused") {
  const std::string op = "sparse_convolution";
  const at::Tensor coords = coords_of({{0, 0, 0, 0}, {0, 1, 0, 0}});
  const at::Tensor feats = at::ones({2, 3}), kernel = at::ones({27, 3, 4});
  const auto run = [&](ops::OperatorCall::Values changed) {
    ops::OperatorCall::Values values = {
        {"in_coords", coords}, {"in_feats", feats}, {"kernel", kernel}};
    for (auto& [name, value] : changed) values[name] = value;
    return [values] { ops::run_operator("sparse_convolution", values); };
  };
  CHECK_NOTHROW(run({})());
  check_refused(op, "coords holds (0, 0, 0, 0) in rows 0 and 1, wants each coordinate once",
                run({{"in_coords", at::zeros({2, 4}, at::kInt)}}));
  check_refused(op, "coords holds (0, 1, 0, 0) in row 1", run({{"tensor_stride", "2"}}));
  check_refused(op, "coords is Long", run({{"in_coords", coords.to(at::kLong)}}));
  check_refused(op, "coords has shape (2, 3)", run({{"in_coords", coords.narrow(1, 0, 3)}}));
  check_refused(op, "kernel has 26 offsets", run({{"kernel", at::ones({26, 3, 4})}}));
  check_refused(op, "kernel has 27 offsets, wants 8 for stride 2", run({{"stride", "2"}}));
  check_refused(op, "kernel has 8 offsets, wants 1, 27 or 125 for stride 1",
                run({{"kernel", at::ones({8, 3, 4})}}));
  check_refused(op, "stride is 3", run({{"stride", "3"}}));
  check_refused(op, "tensor_stride is 0", run({{"tensor_stride", "0"}}));
  check_refused(op, "feats has shape (2, 2), wants (2, 3)", run({{"in_feats", at::ones({2, 2})}}));
  check_refused(op, "bias has shape (3,)", run({{"bias", at::ones({3})}}));
  check_refused(op, "out_coords is missing",
                run({{"kernel", at::ones({8, 3, 4})},
                     {"in_coords", coords * 2},
                     {"tensor_stride", "2"},
                     {"transposed", "true"}}));
  check_refused(op, "coarse coordinates lack the cell of fine row 1",
                run({{"kernel", at::ones({8, 3, 4})},
                     {"in_coords", coords_of({{0, 0, 0, 0}, {0, 8, 0, 0}})},
                     {"tensor_stride", "2"},
                     {"out_coords", coords_of({{0, 1, 0, 0}, {0, 3, 0, 0}})},
                     {"transposed", "true"}}));
}

}  // namespace
}  // namespace grasppanda::tests
