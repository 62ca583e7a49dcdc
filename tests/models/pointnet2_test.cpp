#include "models/backbones/pointnet2.h"

#include <ATen/Parallel.h>

#include <vector>

#include "tests/catch.h"
#include "tests/models/goldens.h"

namespace grasppanda::models {
namespace {

/// Weights as a checkpoint holds them, with scales of both signs.
struct Stored {
  at::Tensor weight, bias, gamma, beta, mean, var;
  BatchNorm norm() const { return batch_norm(gamma, beta, mean, var); }
};

Stored stored(std::int64_t in, std::int64_t out) {
  return {at::randn({out, in}) / 2, at::randn({out}), at::randn({out}),
          at::randn({out}),         at::randn({out}), at::rand({out}) + 0.1};
}

at::Tensor normed(const at::Tensor& rows, const Stored& layer) {
  const auto wide = [](const at::Tensor& value) { return value.to(at::kDouble); };
  return (rows - wide(layer.mean)) / at::sqrt(wide(layer.var) + 1e-5) * wide(layer.gamma) +
         wide(layer.beta);
}

/// The formulas written out, in float64.
at::Tensor literal(const std::vector<Stored>& layers, bool norm_last, const at::Tensor& input) {
  at::Tensor rows = input.to(at::kDouble);
  for (const Stored& layer : layers) {
    rows = at::linear(rows, layer.weight.to(at::kDouble), layer.bias.to(at::kDouble));
    rows = norm_last ? normed(rows.relu(), layer) : normed(rows, layer).relu();
  }
  return rows;
}

std::vector<PointwiseLayer> built(const std::vector<Stored>& layers, bool norm_last) {
  std::vector<PointwiseLayer> result;
  for (const Stored& layer : layers) {
    result.push_back(norm_last ? relu_then_norm(layer.weight, layer.bias, layer.norm())
                               : norm_then_relu(layer.weight, layer.bias, layer.norm()));
  }
  return result;
}

TEST_CASE("pointwise layers: a hand-computed row") {
  // 2 inputs, 1 output: relu(3*1 + (-1)*2 + 0.5) = 1.5; norm (1.5 - 1) / sqrt(4 + eps) * 2 + 10.
  const at::Tensor one = at::ones({1});
  const BatchNorm norm = batch_norm(2 * one, 10 * one, one, 4 * one);
  const at::Tensor weight = at::tensor({3.0F, -1.0F}).view({1, 2});
  const at::Tensor row = at::tensor({1.0F, 2.0F}).view({1, 2});
  const at::Tensor after = apply_layers({relu_then_norm(weight, one / 2, norm)}, row);
  CHECK(after.item<double>() == Approx(10.5).epsilon(1e-5));
  // Norm first: (1.5 - 1) / 2 * 2 + 10; with beta -10 the ReLU cuts.
  CHECK(apply_layers({norm_then_relu(weight, one / 2, norm)}, row).item<double>() ==
        Approx(10.5).epsilon(1e-5));
  const BatchNorm low = batch_norm(2 * one, -10 * one, one, 4 * one);
  CHECK(apply_layers({norm_then_relu(weight, one / 2, low)}, row).item<double>() == 0);
  CHECK(apply_layers({relu_then_norm(weight, one / 2, low)}, row).item<double>() ==
        Approx(-9.5).epsilon(1e-5));
}

TEST_CASE("pointwise layers: both orders of norm and ReLU against the formulas") {
  at::manual_seed(1);
  for (const bool norm_last : {false, true}) {
    const std::vector<Stored> layers = {stored(17, 33), stored(33, 20), stored(20, 9)};
    const at::Tensor rows = at::randn({50, 17});
    CAPTURE(norm_last);
    CHECK(tests::channel_deviation(apply_layers(built(layers, norm_last), rows).to(at::kDouble),
                                   literal(layers, norm_last, rows))
              .largest < 1e-5);
  }
}

TEST_CASE("grouped maximum: against messages written out, every layout") {
  at::manual_seed(2);
  for (const bool norm_last : {false, true}) {
    for (const std::int64_t features : {0, 12}) {
      for (const bool offsets_first : {false, true}) {
        CAPTURE(norm_last, features, offsets_first);
        const std::vector<Stored> layers = {stored(features + 3, 16), stored(16, 24),
                                            stored(24, 40)};
        // 100 groups: several blocks, the last one not full.
        const at::Tensor support = at::randn({300, 3}), centres = support.narrow(0, 0, 100);
        const at::Tensor feature = at::randn({300, features});
        const at::Tensor index = at::randint(0, 300, {100, 7}, at::kLong);
        const at::Tensor flat = index.flatten();
        at::Tensor message =
            (support.index_select(0, flat).view({100, 7, 3}) - centres.unsqueeze(1)).view({700, 3});
        const at::Tensor own = feature.index_select(0, flat);
        message = offsets_first ? at::cat({message, own}, 1) : at::cat({own, message}, 1);
        const at::Tensor want =
            std::get<0>(literal(layers, norm_last, message).view({100, 7, 40}).max(1));
        const GroupedMlp mlp = grouped_mlp(built(layers, norm_last), features, offsets_first);
        const at::Tensor got = grouped_maximum(mlp, feature, support, centres, index);
        CHECK(tests::channel_deviation(got.to(at::kDouble), want).largest < 1e-5);
        // A repeated neighbour changes nothing, told or not.
        const at::Tensor padded = at::cat({index, index.narrow(1, 0, 1)}, 1);
        const at::Tensor seven = at::full({100}, 7, at::kLong);
        for (const at::Tensor& count : {at::Tensor(), seven})
          CHECK(tests::channel_deviation(
                    grouped_maximum(mlp, feature, support, centres, padded, count), got)
                    .largest < 1e-6);
        // Groups of 0 to 9 of 7 slots: at least the first, at most all.
        const at::Tensor sizes = at::arange(100).remainder(10);
        const at::Tensor slot = at::arange(7).unsqueeze(0);
        const at::Tensor some =
            at::where(slot < sizes.clamp_min(1).unsqueeze(1), index, index.narrow(1, 0, 1));
        CHECK(
            tests::channel_deviation(grouped_maximum(mlp, feature, support, centres, index, sizes),
                                     grouped_maximum(mlp, feature, support, centres, some))
                .largest < 1e-6);
      }
    }
  }
}

TEST_CASE("grouped maximum: no groups, and the same bits on one thread and on two") {
  at::manual_seed(3);
  const std::vector<Stored> layers = {stored(3, 16), stored(16, 24)};
  const GroupedMlp mlp = grouped_mlp(built(layers, true), 0, false);
  const at::Tensor support = at::randn({300, 3});
  CHECK(grouped_maximum(mlp, {}, support, support.narrow(0, 0, 0), at::empty({0, 7}, at::kLong))
            .sizes() == at::IntArrayRef{0, 24});
  const at::Tensor index = at::randint(0, 300, {300, 64}, at::kLong);
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const at::Tensor one = grouped_maximum(mlp, {}, support, support, index);
  at::set_num_threads(2);
  const at::Tensor two = grouped_maximum(mlp, {}, support, support, index);
  at::set_num_threads(threads);
  CHECK(one.equal(two));
}

TEST_CASE("interpolation of rows: a hand-computed target") {
  const at::Tensor features = at::tensor({1.0F, 10.0F, 2.0F, 20.0F, 4.0F, 40.0F}).view({3, 2});
  const at::Tensor index = at::tensor({2, 0, 1}, at::kLong).view({1, 3});
  const at::Tensor weight = at::tensor({0.5F, 0.25F, 0.25F}).view({1, 3});
  CHECK(interpolate_rows(features, index, weight).equal(at::tensor({2.75F, 27.5F}).view({1, 2})));
}

}  // namespace
}  // namespace grasppanda::models
