// The network with the goldens' weights, stage by stage: first each stage fed with the goldens' own
// inputs, then end to end. Tolerances: goldens/graspnet_baseline/tolerances.json.
#include <algorithm>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "lib/io/json_file.h"
#include "lib/ops/grasp/collision_detection.h"
#include "lib/ops/grasp/grasp_nms.h"
#include "models/graspnet_baseline/architecture.h"
#include "models/graspnet_baseline/decode.h"
#include "models/graspnet_baseline/graspnet_baseline.h"
#include "models/graspnet_baseline/network.h"
#include "tests/catch.h"
#include "tests/models/goldens.h"
#include "tests/models/recorded_frame.h"
#include "tests/support/golden_weights.h"

namespace grasppanda::models::graspnet_baseline {
namespace {

using tests::absolute_deviation;
using tests::check_equal_integers;
using tests::Goldens;

const char* const kGoldens = "goldens/graspnet_baseline";

Network golden_network(const std::filesystem::path& folder) {
  return {Weights(tests::golden_weights(folder / "manifest.json", folder / "stats.npz").tensors),
          at::kCPU};
}

class Tolerances {
 public:
  explicit Tolerances(const std::filesystem::path& folder)
      : values_(io::read_json(folder / "tolerances.json").at("tolerance")) {}
  double operator()(const std::string& stage) const { return values_.at(stage).get<double>(); }

 private:
  nlohmann::json values_;
};

at::Tensor every_16th(const at::Tensor& rows) {
  return rows.slice(0, 0, rows.size(0), 16);
}

/// Sum, sum of squares and maximum per channel over all rows; relative to the sums of magnitudes.
void check_channels(const at::Tensor& rows, const at::Tensor& want, double tolerance) {
  const at::Tensor wide = rows.to(at::kDouble);
  const at::Tensor sums = (wide.sum(0) - want[0]).abs() / rows.size(0);
  CHECK(sums.max().item<double>() < tolerance);
  const at::Tensor squares = (wide.square().sum(0) - want[1]).abs() / (want[1] + 1);
  CHECK(squares.max().item<double>() < 1e-4);
  CHECK((wide.amax(0) - want[2]).abs().max().item<double>() < tolerance);
}

void check_groups(const ops::Neighbourhood& got, const Goldens& golden, const std::string& index,
                  const std::string& count) {
  check_equal_integers(got.index, golden.integers(index));
  check_equal_integers(got.count, golden.integers(count));
}

GraspScores golden_scores(const Goldens& golden) {
  const auto rows = [&](const char* name) {
    return golden(name).permute({1, 2, 0}).reshape({-1, kAngles}).contiguous();
  };
  return {rows("head_score"), rows("head_angle"), rows("head_width"), rows("head_tolerance")};
}

/// The approach vectors of the goldens' views.
at::Tensor golden_approach(const Goldens& golden) {
  return golden("template_views").index_select(0, golden.integers("view_inds")).neg();
}

TEST_CASE("GraspNet-baseline: sampling, neighbours and groups, with the goldens' points") {
  GP_NEED_DATA(folder, kGoldens);
  const Goldens golden(folder);
  for (const auto& [backend, choice] : tests::kBackends) {
    DYNAMIC_SECTION(backend) {
      const ops::ScopedBackends scoped(tests::all_operators(choice));
      std::array<at::Tensor, 5> xyz = {golden("points")};
      for (int level = 0; level < 4; ++level) {
        CAPTURE(level);
        const std::string name = "sa" + std::to_string(level + 1);
        const at::Tensor index = golden.integers(name + "_inds");
        check_equal_integers(Encoder::sample(level, xyz[level]), index);
        xyz[level + 1] = xyz[level].index_select(0, index);
        check_groups(Encoder::neighbours(level, xyz[level + 1], xyz[level]), golden,
                     name + "_ball_idx", name + "_ball_cnt");
      }
      CHECK(xyz[2].equal(golden("seed_xyz")));
      for (int step = 0; step < 2; ++step) {
        const std::string name = "fp" + std::to_string(step + 1);
        const ops::NearestNeighbours near = Encoder::nearest(xyz[3 - step], xyz[4 - step]);
        check_equal_integers(near.index, golden.integers(name + "_nn_idx"));
        CHECK(near.squared.equal(golden(name + "_nn_dist2")));
      }
      check_groups(crop_groups(golden("seed_xyz"), xyz[0], golden("view_rot").view({-1, 3, 3})),
                   golden, "cyl_idx", "cyl_cnt");
    }
  }
}

TEST_CASE("GraspNet-baseline: the encoder by itself, with the goldens' neighbours") {
  GP_NEED_DATA(folder, kGoldens);
  const Goldens golden(folder);
  const Tolerances tolerance(folder);
  const Network network = golden_network(folder);
  std::array<at::Tensor, 5> xyz = {golden("points")}, features;
  for (int level = 0; level < 4; ++level) {
    CAPTURE(level);
    const std::string name = "sa" + std::to_string(level + 1);
    xyz[level + 1] = xyz[level].index_select(0, golden.integers(name + "_inds"));
    features[level + 1] = network.encoder().set_abstraction(
        level, features[level], xyz[level], xyz[level + 1],
        {golden.integers(name + "_ball_idx"), golden.integers(name + "_ball_cnt")});
    CHECK(absolute_deviation(every_16th(features[level + 1]), golden(name + "_rows")).largest <
          tolerance(name + "_rows"));
    check_channels(features[level + 1], golden(name + "_channels"), tolerance(name + "_rows"));
  }
  at::Tensor source = features[4];
  for (int step = 0; step < 2; ++step) {
    CAPTURE(step);
    const std::string name = "fp" + std::to_string(step + 1);
    const at::Tensor squared = golden(name + "_nn_dist2");
    source = network.encoder().propagate(
        step, source, {squared.sqrt(), squared, golden.integers(name + "_nn_idx")},
        features[3 - step]);
    CHECK(absolute_deviation(every_16th(source), golden(name + "_rows")).largest <
          tolerance(name + "_rows"));
    check_channels(source, golden(name + "_channels"), tolerance(name + "_rows"));
  }
  CHECK(absolute_deviation(source.t(), golden("fp2_features")).largest < tolerance("fp2_features"));
}

TEST_CASE("GraspNet-baseline: views, with the goldens' seed features") {
  GP_NEED_DATA(folder, kGoldens);
  const Goldens golden(folder);
  const Tolerances tolerance(folder);
  const Network network = golden_network(folder);
  const ViewScores scores = network.view_scores(golden("fp2_features").t().contiguous());
  CHECK(absolute_deviation(scores.objectness.t(), golden("objectness")).largest <
        tolerance("objectness"));
  CHECK(absolute_deviation(scores.view, golden("view_score")).largest < tolerance("view_score"));
  const ChosenViews chosen = network.choose_views(golden("view_score"));
  check_equal_integers(chosen.index, golden.integers("view_inds"));
  CHECK(absolute_deviation(chosen.rotation.view({-1, 9}), golden("view_rot")).largest <=
        tolerance("view_rot"));
  // The lowest view wins a tie.
  at::Tensor tied = at::zeros({3, kViews});
  tied[1][7] = tied[1][200] = 1;
  CHECK(network.choose_views(tied).index.equal(at::tensor({0, 7, 0}, at::kLong)));
}

TEST_CASE("GraspNet-baseline: crop and heads, with the goldens' groups") {
  GP_NEED_DATA(folder, kGoldens);
  const Goldens golden(folder);
  const Tolerances tolerance(folder);
  const Network network = golden_network(folder);
  const ops::Neighbourhood groups = {golden.integers("cyl_idx"), golden.integers("cyl_cnt")};
  const CropFeatures features = network.crop(golden("points"), golden("seed_xyz"),
                                             golden("view_rot").view({-1, 3, 3}), groups);
  const at::Tensor all = features.all();
  CHECK(absolute_deviation(every_16th(all.view({-1, kDepths, 256})), golden("vp_rows")).largest <
        tolerance("vp_rows"));
  check_channels(all, golden("vp_channels"), tolerance("vp_rows"));
  const GraspScores scores = network.grasp_scores(features), want = golden_scores(golden);
  CHECK(absolute_deviation(scores.score, want.score).largest < tolerance("head_score"));
  CHECK(absolute_deviation(scores.angle, want.angle).largest < tolerance("head_angle"));
  CHECK(absolute_deviation(scores.width, want.width).largest < tolerance("head_width"));
  CHECK(absolute_deviation(scores.tolerance, want.tolerance).largest < tolerance("head_tolerance"));
  // Equal groups give equal bits, wherever they lie.
  const at::Tensor index = groups.index.permute({1, 0, 2});
  const at::Tensor equal = (index.narrow(1, 1, 3) == index.narrow(1, 0, 3)).all(2);
  REQUIRE(equal.sum().item<std::int64_t>() > 200);
  const at::Tensor by_depth = scores.score.view({-1, kDepths, kAngles});
  const at::Tensor same = (by_depth.narrow(1, 1, 3) == by_depth.narrow(1, 0, 3)).all(2);
  CHECK((same | equal.logical_not()).all().item<bool>());
}

TEST_CASE("GraspNet-baseline: the crop equals one group at a time") {
  at::manual_seed(41);
  // Groups made by hand: a lonely point, repeats, an empty cylinder, points that leave a list.
  const at::Tensor cloud = at::rand({300, 3}) / 10, seeds = cloud.narrow(0, 0, 21).contiguous();
  const at::Tensor rotation = at::rand({21, 3, 3});
  at::Tensor index = at::zeros({kDepths, 21, kCropPoints}, at::kLong),
             count = at::zeros({kDepths, 21}, at::kLong);
  for (std::int64_t depth = 0; depth < kDepths; ++depth) {
    for (std::int64_t seed = 0; seed < 21; ++seed) {
      const std::int64_t hits = seed == 5 ? 0 : std::min<std::int64_t>(1 + seed * depth, 64);
      const at::Tensor drawn = std::get<0>(
          (at::randperm(300, at::kLong).narrow(0, 0, std::max<std::int64_t>(hits, 1))).sort());
      if (seed == 7 && depth > 0) {
        index[depth][seed].copy_(index[depth - 1][seed]);
        count[depth][seed].copy_(count[depth - 1][seed]);
        continue;
      }
      count[depth][seed] = hits;
      if (hits == 0) continue;
      index[depth][seed].fill_(drawn[0]);
      index[depth][seed].narrow(0, 0, hits).copy_(drawn);
    }
  }
  std::vector<PointwiseLayer> layers;
  for (const auto& [in, out] : {std::pair{3, 64}, std::pair{64, 128}, std::pair{128, 256}})
    layers.push_back({at::randn({in, out}) / 8, at::randn({out}) / 8, {}, {}});
  const CropFeatures got =
      crop_features(grouped_mlp(layers, 0, true), cloud, seeds, rotation, {index, count});
  CHECK(got.distinct.size(0) < 21 * kDepths);
  for (std::int64_t depth = 0; depth < kDepths; ++depth) {
    for (std::int64_t seed = 0; seed < 21; ++seed) {
      const at::Tensor group = cloud.index_select(0, index[depth][seed]) - seeds[seed];
      const at::Tensor want = apply_layers(layers, at::mm(group, rotation[seed])).amax(0);
      CAPTURE(depth, seed);
      CHECK(at::allclose(got.all()[seed * kDepths + depth], want, 1e-5, 1e-6));
    }
  }
}

TEST_CASE("GraspNet-baseline: decoding, with the goldens' heads") {
  GP_NEED_DATA(folder, kGoldens);
  const Goldens golden(folder);
  const Decoded decoded = decode(golden("seed_xyz"), golden("objectness").t(),
                                 golden_approach(golden), golden_scores(golden));
  check_equal_integers(decoded.angle_class, golden.integers("angle_cls"));
  check_equal_integers(decoded.depth_class, golden.integers("depth_cls"));
  check_equal_integers(decoded.graspable.nonzero().squeeze(1), golden.integers("decoded_seed"));
  const at::Tensor want = golden("decoded_all");
  CHECK(decoded.rows.narrow(1, 0, 4).equal(want.narrow(1, 0, 4)));  // to the bit
  CHECK(absolute_deviation(decoded.rows.narrow(1, 4, 9), want.narrow(1, 4, 9)).largest <= 1e-6);
  CHECK(decoded.rows.narrow(1, 13, 4).equal(want.narrow(1, 13, 4)));
}

TEST_CASE("GraspNet-baseline: exactly three graspable seeds keep their rotations") {
  // The published code takes the cross product along the wrong axis where there are three vectors.
  const at::Tensor seeds = at::zeros({3, 3}), objectness = at::tensor({0.F, 1.F}).repeat({3, 1});
  const at::Tensor approach =
      at::tensor({0.6F, 0.F, 0.8F, 0.F, 0.F, 1.F, -0.48F, 0.6F, 0.64F}).view({3, 3});
  const at::Tensor zero = at::zeros({3 * kDepths, kAngles});
  at::Tensor angle = zero.clone();
  angle.select(1, 3).fill_(1);  // a quarter of pi
  const Decoded decoded = decode(seeds, objectness, approach, {zero, angle, zero, zero});
  const at::Tensor rotation = decoded.rows.narrow(1, 4, 9).reshape({3, 3, 3});
  CHECK(at::allclose(at::matmul(rotation.transpose(1, 2), rotation), at::eye(3).expand({3, 3, 3}),
                     1e-5, 1e-6));
  CHECK(at::allclose(at::linalg_det(rotation), at::ones({3}), 1e-5, 1e-6));
  CHECK(at::allclose(rotation.select(2, 0), approach, 1e-6, 1e-7));
}

TEST_CASE("GraspNet-baseline: ties, widths and NaN in decoding") {
  const at::Tensor seeds = at::zeros({2, 3}), approach = at::tensor({0.F, 0.F, 1.F}).repeat({2, 1});
  const at::Tensor objectness = at::tensor({1.F, 1.F, 0.F, 1.F}).view({2, 2});
  GraspScores scores = {at::zeros({8, 12}), at::zeros({8, 12}), at::zeros({8, 12}),
                        at::full({8, 12}, 0.05)};
  scores.score.select(1, 0).copy_(at::tensor({1, 2, 2, 0, -1, -1, -2, -3}, at::kFloat));
  scores.width.select(1, 0).copy_(at::tensor({0, 1, 0, 0, -1, 0, 0, 0}, at::kFloat));
  const Decoded decoded = decode(seeds, objectness, approach, scores);
  check_equal_integers(decoded.graspable, at::tensor({0, 1}));  // equal logits: not graspable
  check_equal_integers(decoded.depth_class, at::tensor({1, 0}));
  check_equal_integers(decoded.angle_class, at::zeros({2, 4}));
  CHECK(decoded.rows[0][0].item<float>() == 2.F);
  CHECK(decoded.rows[0][1].item<float>() == 0.1F);
  CHECK(decoded.rows[0][3].item<float>() == 0.02F);
  CHECK(decoded.rows[1][0].item<float>() == -1.F);
  CHECK(decoded.rows[1][1].item<float>() == 0.F);
  scores.score[2][0] = std::numeric_limits<float>::quiet_NaN();
  const Decoded with_nan = decode(seeds, objectness, approach, scores);
  CHECK(with_nan.depth_class[0].item<int>() == 2);
  CHECK(std::isnan(with_nan.rows[0][0].item<float>()));
}

TEST_CASE("GraspNet-baseline: collision and suppression of the goldens' grasps") {
  GP_NEED_DATA(folder, kGoldens);
  GP_NEED_DATA(frame, "data/frames/graspnet_example");
  const Goldens golden(folder);
  const at::Tensor cloud = tests::recorded_cloud(frame), grasps = golden("decoded");
  ops::CollisionSettings settings;
  settings.approach_dist = 0.05;
  settings.collision_thresh = 0.01;
  settings.voxel_size = 0.01;
  const auto found = ops::collision_detection(grasps, cloud.to(at::kFloat), settings);
  CHECK(found.collision_mask.equal(golden("collision_mask").to(at::kBool)));
  CHECK(ops::collision_detection(grasps, cloud, settings)
            .collision_mask.equal(golden("collision_mask_test_cloud").to(at::kBool)));
  const double angle = 30.0 / 180.0 * 3.141592653589793;
  const at::Tensor free = found.collision_mask.logical_not().nonzero().squeeze(1);
  check_equal_integers(
      free.index_select(0, ops::grasp_nms(grasps.index_select(0, free), 0.03, angle)),
      golden.integers("after_collision_nms_kept"));
  check_equal_integers(ops::grasp_nms(grasps, 0.03, angle),
                       golden.integers("nms_kept_without_collision"));
}

}  // namespace
}  // namespace grasppanda::models::graspnet_baseline
