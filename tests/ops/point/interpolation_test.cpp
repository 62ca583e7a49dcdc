#include <ATen/core/grad_mode.h>

#include <limits>

#include "lib/ops/point/inverse_distance_weights.h"
#include "lib/ops/point/three_interpolate.h"
#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/ops/refused.h"
#include "tests/ops/thread_count.h"

namespace grasppanda::tests {
namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

TEST_CASE("inverse_distance_weights: hand-computed") {
  const at::Tensor weight =
      ops::inverse_distance_weights(at::tensor({1.F, 1.F, 0.5F}).view({1, 1, 3}));
  CHECK(at::allclose(weight.view({3}), at::tensor({0.25F, 0.25F, 0.5F}), 1e-6, 0));
  // Distance 0 has reciprocal 1e8, so the others vanish beside it.
  const at::Tensor near = ops::inverse_distance_weights(at::tensor({0.F, 1.F}).view({1, 1, 2}));
  CHECK(near[0][0][0].item<float>() == 1.0F);
  CHECK(near[0][0][1].item<float>() == Approx(1e-8F));
  CHECK(ops::inverse_distance_weights(at::full({1, 1, 3}, kInf)).isnan().all().item<bool>());
  CHECK(ops::inverse_distance_weights(at::ones({1, 2, 1})).eq(1).all().item<bool>());
}

TEST_CASE("inverse_squared_distance_weights: clamped, not shifted") {
  const at::Tensor weight =
      ops::inverse_squared_distance_weights(at::tensor({1.F, 1.F, 0.5F}).view({1, 1, 3}));
  CHECK(at::allclose(weight.view({3}), at::tensor({0.25F, 0.25F, 0.5F}), 1e-6, 0));
  const at::Tensor both = ops::inverse_squared_distance_weights(at::zeros({1, 1, 2}));
  CHECK(both.eq(0.5F).all().item<bool>());
}

TEST_CASE("weights add left to right for any number of neighbours") {
  const at::Tensor distance =
      ops::seeded_cloud(ops::CloudKind::uniform, 1, 70, 3).abs().view({1, 30, 7});
  const at::Tensor weight = ops::inverse_distance_weights(distance).contiguous();
  const float* d = distance.data_ptr<float>();
  const float* w = weight.data_ptr<float>();
  for (int64_t row = 0; row < 30; ++row) {
    float sum = 0;
    for (int i = 0; i < 7; ++i) {
      const float r = 1.0F / (d[7 * row + i] + 1e-8F);
      sum = i == 0 ? r : sum + r;
    }
    for (int i = 0; i < 7; ++i) CHECK(w[7 * row + i] == 1.0F / (d[7 * row + i] + 1e-8F) / sum);
  }
}

TEST_CASE("weights: refused arguments") {
  check_refused("inverse_distance_weights", "distance has shape (2, 3)", [] {
    ops::inverse_distance_weights(at::ones({2, 3}));
  });
  check_refused("inverse_distance_weights", "distance has shape (1, 2, 0)", [] {
    ops::inverse_distance_weights(at::ones({1, 2, 0}));
  });
  check_refused("inverse_squared_distance_weights", "squared is Int", [] {
    ops::inverse_squared_distance_weights(at::ones({1, 2, 3}, at::kInt));
  });
}

TEST_CASE("three_interpolate: hand-computed, two clouds, int32 and int64 indices") {
  // Channels 10, 20, 30 and 1, 2, 3 in the first cloud, negated in the second.
  const at::Tensor first = at::tensor({10.F, 20.F, 30.F, 1.F, 2.F, 3.F}).view({2, 3});
  const at::Tensor features = at::stack({first, first.neg()});
  const at::Tensor index =
      at::tensor({0, 1, 2, 2, 2, 2}, at::kLong).view({1, 2, 3}).repeat({2, 1, 1});
  const at::Tensor weight =
      at::tensor({0.5F, 0.25F, 0.25F, 1.F, 0.F, 0.F}).view({1, 2, 3}).repeat({2, 1, 1});
  const at::Tensor want = at::tensor({17.5F, 30.F, 1.75F, 3.F}).view({2, 2});
  for (const at::ScalarType type : {at::kLong, at::kInt}) {
    const at::Tensor got = ops::three_interpolate(features, index.to(type), weight);
    CHECK(got.equal(at::stack({want, want.neg()})));
    CHECK(got.is_contiguous());
  }
}

TEST_CASE("three_interpolate: NaN spreads through a zero weight; nothing is fused") {
  const at::Tensor features = at::tensor({NAN, 1.F}).view({1, 1, 2});
  const at::Tensor index = at::tensor({0, 1, 1}, at::kLong).view({1, 1, 3});
  const at::Tensor weight = at::tensor({0.F, 1.F, 0.F}).view({1, 1, 3});
  CHECK(ops::three_interpolate(features, index, weight).isnan().all().item<bool>());

  // The rounded square of 1 + 2^-12 is 1 + 2^-11; its true square minus that is 2^-24. A fused
  // multiply-add would return it.
  const float a = 1 + 0x1p-12F;
  const at::Tensor got = ops::three_interpolate(
      at::tensor({-(1 + 0x1p-11F), a, 0.F}).view({1, 1, 3}), at::arange(3).view({1, 1, 3}),
      at::tensor({1.F, a, 0.F}).view({1, 1, 3}));
  CHECK(got.item<float>() == 0.0F);
}

TEST_CASE("three_interpolate: chunks, threads and gradients do not change a number") {
  const at::Tensor features = ops::seeded_cloud(ops::CloudKind::uniform, 2, 700, 1)
                                  .view({2, 700, 3})
                                  .transpose(1, 2)
                                  .repeat({1, 40, 1});  // (2, 120, 700), not contiguous
  const at::Tensor weight = ops::seeded_cloud(ops::CloudKind::uniform, 2, 5000, 2);
  const at::Tensor index = weight.add(0.5F).mul(700).to(at::kLong).clamp(0, 699);
  const auto gathered = [&](int64_t neighbour) {
    const at::Tensor from = index.select(2, neighbour).unsqueeze(1).expand({-1, 120, -1});
    return features.gather(2, from).mul(weight.select(2, neighbour).unsqueeze(1));
  };
  const at::Tensor want = gathered(0).add(gathered(1)).add(gathered(2));
  for (const int threads : {1, 2}) {
    const ThreadCount scope(threads);
    CHECK(ops::three_interpolate(features, index, weight).equal(want));
  }
  at::Tensor learned = features.clone().set_requires_grad(true);
  const at::Tensor recorded = ops::three_interpolate(learned, index, weight);
  CHECK(recorded.detach().equal(want));
  recorded.sum().backward();
  CHECK(learned.grad().sum().item<double>() ==
        Approx(120 * weight.sum(at::kDouble).item<double>()).epsilon(1e-3));
  const at::NoGradGuard off;
  CHECK_FALSE(ops::three_interpolate(learned, index, weight).requires_grad());
}

TEST_CASE("three_interpolate: empty calls and refused arguments") {
  const at::Tensor features = at::ones({1, 4, 5}), weight = at::ones({1, 2, 3});
  const at::Tensor index = at::zeros({1, 2, 3}, at::kLong);
  CHECK(ops::three_interpolate(at::ones({0, 4, 5}), index.narrow(0, 0, 0), weight.narrow(0, 0, 0))
            .sizes() == at::IntArrayRef{0, 4, 2});
  CHECK(ops::three_interpolate(features, index.narrow(1, 0, 0), weight.narrow(1, 0, 0)).sizes() ==
        at::IntArrayRef{1, 4, 0});
  check_refused("three_interpolate", "index holds 5, wants 0 .. M - 1 with M = 5",
                [&] { ops::three_interpolate(features, index.add(5), weight); });
  check_refused("three_interpolate", "index holds -1",
                [&] { ops::three_interpolate(features, index.sub(1), weight); });
  check_refused("three_interpolate", "weight has shape (1, 1, 3), wants (1, 2, 3) like index",
                [&] { ops::three_interpolate(features, index, weight.narrow(1, 0, 1)); });
  check_refused("three_interpolate", "features has shape (4, 5)",
                [&] { ops::three_interpolate(features[0], index, weight); });
  check_refused("three_interpolate", "index is Float",
                [&] { ops::three_interpolate(features, weight, weight); });
  check_refused("three_interpolate", "index holds 2 clouds, wants 1 like features", [&] {
    ops::three_interpolate(features, index.repeat({2, 1, 1}), weight.repeat({2, 1, 1}));
  });
}

}  // namespace
}  // namespace grasppanda::tests
