// The whole model: recorded frame end to end against the goldens, masks, samples, and inputs from
// which nothing, or hardly anything, can be grasped.
#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "models/checkpoint_error.h"
#include "models/gsnet/network.h"
#include "tests/models/gsnet_goldens.h"
#include "tests/models/recorded_frame.h"

namespace grasppanda::models::gsnet {
namespace {

using tests::absolute_deviation;
using tests::check_equal_integers;
using tests::count_of;
using tests::Goldens;
using tests::rows_of;
using tests::Stages;

// Ten times what float32 is from float64 on this frame.
constexpr double kHeads = 8.4e-5, kViewScores = 2.3e-4, kProposals = 9.3e-5, kScores = 4.9e-5,
                 kWidths = 6.8e-6;

GraspModel& golden_model(const std::filesystem::path& folder) {
  static const auto model = tests::gsnet_model(tests::gsnet_weights(folder).tensors);
  return *model;
}

at::Tensor gap_of_best_two(const at::Tensor& scores) {
  const at::Tensor best = std::get<0>(scores.topk(2, 1));
  return best.select(1, 0) - best.select(1, 1);
}

std::set<std::vector<float>> centres(const at::Tensor& rows) {
  const at::Tensor xyz = rows.narrow(1, 13, 3).to(at::kFloat).contiguous();
  std::set<std::vector<float>> found;
  for (std::int64_t i = 0; i < xyz.size(0); ++i) {
    const float* p = xyz.const_data_ptr<float>() + 3 * i;
    found.insert({p[0], p[1], p[2]});
  }
  return found;
}

std::size_t differing(const at::Tensor& got, const at::Tensor& want) {
  const auto a = centres(got), b = centres(want);
  std::size_t count = 0;
  for (const auto& centre : a) count += b.contains(centre) ? 0 : 1;
  for (const auto& centre : b) count += a.contains(centre) ? 0 : 1;
  return count;
}

/// Points whose graspability differs lie on a threshold; true when there are none.
bool check_graspable(const Stages& got, const Goldens& golden) {
  const at::Tensor objectness = golden("objectness_score"), graspness = golden("graspness_score");
  const std::int64_t points = graspness.size(0);
  CHECK(absolute_deviation(got.at("objectness_score"), objectness).largest < kHeads);
  CHECK(absolute_deviation(got.at("graspness_score"), graspness).largest < kHeads);
  const auto mask = [&](const at::Tensor& index) {
    return at::zeros({points}, at::kBool).index_fill_(0, index.to(at::kLong), true);
  };
  const at::Tensor other =
      mask(got.at("graspable_index")).logical_xor(mask(golden("graspable_index")));
  const at::Tensor on_edge = (objectness[1] - objectness[0])
                                 .abs()
                                 .lt(2 * kHeads)
                                 .logical_or((graspness - 0.1).abs().lt(kHeads));
  CHECK_FALSE(other.logical_and(on_edge.logical_not()).any().item<bool>());
  return !other.any().item<bool>();
}

/// The tolerant comparison: choices may differ only where they are close, and then what follows
/// from them is not compared.
void check_end_to_end(const Stages& got, const Goldens& golden) {
  if (!check_graspable(got, golden)) return;
  check_equal_integers(got.at("fps_index"), golden("fps_index"));
  check_equal_integers(got.at("seed_point_index"), golden("seed_point_index"));
  const at::Tensor view_score = golden("view_score");
  CHECK(absolute_deviation(got.at("view_score"), view_score).largest < kViewScores);
  const at::Tensor same_view =
      got.at("top_view_index").to(at::kLong).eq(golden.integers("top_view_index"));
  CHECK(same_view.logical_or(gap_of_best_two(view_score) < 2 * kViewScores).all().item<bool>());
  const at::Tensor seeds = same_view.nonzero().squeeze(1);
  REQUIRE(seeds.size(0) > 1000);
  const auto of_seeds = [&](const at::Tensor& rows) { return rows.index_select(0, seeds); };
  check_equal_integers(of_seeds(got.at("cylinder_count")), of_seeds(golden("cylinder_count")));
  const at::Tensor score = of_seeds(golden("grasp_score_pred")).flatten(1);
  const at::Tensor got_score = of_seeds(got.at("grasp_score_pred")).flatten(1);
  CHECK(absolute_deviation(got_score, score).largest < kProposals);
  CHECK(
      absolute_deviation(of_seeds(got.at("grasp_width_pred")), of_seeds(golden("grasp_width_pred")))
          .largest < kProposals);
  const at::Tensor same_place = got_score.argmax(1).eq(score.argmax(1));
  CHECK(same_place.logical_or(gap_of_best_two(score) < 2 * kProposals).all().item<bool>());
  const at::Tensor rows = seeds.masked_select(same_place);
  REQUIRE(rows.size(0) > 1000);
  const at::Tensor want = golden("grasps_decoded").index_select(0, rows);
  const at::Tensor grasps = got.at("grasps_decoded").index_select(0, rows);
  CHECK(absolute_deviation(grasps.select(1, 0), want.select(1, 0)).largest < kScores);
  CHECK(absolute_deviation(grasps.select(1, 1), want.select(1, 1)).largest < kWidths);
  CHECK(grasps.narrow(1, 2, 15).equal(want.narrow(1, 2, 15)));
  CHECK(differing(got.at("grasps_nms"), golden("grasps_nms")) <= 4);
}

TEST_CASE("GSNet predict: the recorded frame, every stage of the goldens in its form") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  GP_NEED_DATA(frame, "data/frames/graspnet_example");
  const Goldens golden(folder);
  Stages stages;
  const GraspOutput output = golden_model(folder).predict(
      tests::cloud_input(tests::recorded_cloud(frame)), tests::into(stages));
  int compared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    const std::string name = entry.path().stem().string();
    if (entry.path().extension() != ".npy") continue;
    // Sums over the rows of inner layers are checks of the goldens, no stages.
    if (name.starts_with("unet_") && !name.ends_with("_first64")) continue;
    CAPTURE(name);
    REQUIRE(stages.contains(name));
    const at::Tensor want = golden(name);
    CHECK(stages.at(name).sizes().slice(1) == want.sizes().slice(1));
    CHECK(stages.at(name).is_floating_point() == want.is_floating_point());
    ++compared;
  }
  CHECK(compared == static_cast<int>(stages.size()));
  check_end_to_end(stages, golden);
  for (const char* cloud : {"full", "sampled"}) {
    CAPTURE(cloud);
    CHECK(stages.at(std::string("collision_scene_points_") + cloud)
              .equal(golden(std::string("collision_scene_points_") + cloud)));
    CHECK(differing(stages.at(std::string("grasps_collision_free_") + cloud),
                    golden(std::string("grasps_collision_free_") + cloud)) <= 2);
  }
  CHECK(count_of(output, "sampled") == 15000);
  CHECK(count_of(output, "voxels") == 9931);
  CHECK(count_of(output, "graspable") == 5942);
  CHECK(count_of(output, "seeds") == 1024);
  CHECK(count_of(output, "grasps") == 1024);
  CHECK(output.accounting.warnings.empty());
  // The default flow: collision against the whole cloud, suppression, best first.
  const at::Tensor rows = rows_of(output.grasps);
  CHECK(count_of(output, "after_nms") == rows.size(0));
  CHECK(differing(rows, golden("grasps_collision_free_nms")) <= 2);
  CHECK(rows.select(1, 0).equal(std::get<0>(rows.select(1, 0).sort(0, true))));
}

TEST_CASE("GSNet predict: from the sampled points, reference operators and norms of their own") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  const Goldens golden(folder);
  const ops::ScopedBackends scoped(tests::all_operators(ops::Backend::reference));
  const auto model = tests::gsnet_model(tests::gsnet_weights(folder).tensors,
                                        "  fold_batch_norm: false\n"
                                        "postprocess: {collision: {cloud: sampled}, "
                                        "nms: {enabled: false}, sort: false}\n");
  Stages stages;
  const GraspOutput output =
      model->predict(tests::points_input(golden("cloud_sampled")), tests::into(stages));
  check_end_to_end(stages, golden);
  CHECK_FALSE(stages.contains("sample_index"));  // nothing was drawn
  const at::Tensor rows = rows_of(output.grasps), want = golden("grasps_collision_free_sampled");
  CHECK(differing(rows, want) <= 2);
  // The published test script's order: that of the seeds.
  if (rows.size(0) == want.size(0)) CHECK(rows.narrow(1, 2, 15).equal(want.narrow(1, 2, 15)));
}

TEST_CASE("GSNet predict: fewer graspable points than seeds, and none at all") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  const at::Tensor points = Goldens(folder)("cloud_sampled");
  const Goldens few(folder / "few");
  Stages stages;
  const auto model = tests::gsnet_model(tests::gsnet_weights(folder, "few/stats_few.npz").tensors,
                                        "postprocess: {collision: {enabled: false}}\n");
  const GraspOutput output = model->predict(tests::points_input(points), tests::into(stages));
  for (const char* name : {"graspable_index", "fps_index", "top_view_index", "cylinder_index"})
    check_equal_integers(stages.at(name), few(name));
  CHECK(absolute_deviation(stages.at("grasps_decoded"), few("grasps_decoded")).largest < kScores);
  CHECK(count_of(output, "graspable") == 508);
  CHECK(count_of(output, "seeds") == 1024);
  CHECK(differing(rows_of(output.grasps), few("grasps_nms")) <= 2);

  const auto blind = tests::gsnet_model(
      tests::gsnet_weights(folder, "stats.npz", "few/manifest_none.json").tensors);
  const GraspOutput nothing = blind->predict(tests::points_input(points));
  CHECK(nothing.grasps.empty());
  CHECK(count_of(nothing, "graspable") == 0);
  REQUIRE(nothing.accounting.warnings.size() == 1);
  CHECK(nothing.accounting.warnings[0].starts_with("graspable: no point"));
}

TEST_CASE("GSNet predict: sample index, object mask, points that are not finite") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  const Goldens golden(folder);
  GraspModel& model = golden_model(folder);
  // A small cloud in a known order: its rows are the golden sample, twice.
  const at::Tensor sampled = golden("cloud_sampled").to(at::kDouble);
  GraspInput input = tests::cloud_input(at::cat({sampled.flip(0), sampled}));
  std::vector<std::int64_t> index(15000);
  for (std::size_t i = 0; i < index.size(); ++i) index[i] = 15000 + static_cast<std::int64_t>(i);
  input.sample_index = index;
  Stages stages;
  GraspOutput output = model.predict(input, tests::into(stages));
  CHECK(stages.at("cloud_sampled").equal(golden("cloud_sampled")));
  check_equal_integers(stages.at("graspable_index"), golden("graspable_index"));

  SECTION("grasps off the object are dropped before they suppress others") {
    const at::Tensor on_object = sampled.select(1, 0) > 0;
    input.object_mask = at::cat({on_object.logical_not(), on_object});
    const GraspOutput masked = model.predict(input);
    const at::Tensor rows = rows_of(masked.grasps);
    CHECK(count_of(masked, "seeds") == 1024);
    CHECK(count_of(masked, "grasps") > 50);
    CHECK(count_of(masked, "grasps") < 1000);
    CHECK((rows.select(1, 13) > 0).all().item<bool>());
    input.object_mask = at::zeros({30000}, at::kBool);
    const GraspOutput none = model.predict(input);
    CHECK(none.grasps.empty());
    REQUIRE(none.accounting.warnings.size() == 1);
    CHECK(none.accounting.warnings[0].find("object mask") != std::string::npos);
    input.object_mask = at::zeros({29999}, at::kBool);
    CHECK_THROWS_AS(model.predict(input), InputError);
  }
  SECTION("an index outside the cloud is refused") {
    input.sample_index = std::vector<std::int64_t>{0, 30000};
    CHECK_THROWS_AS(model.predict(input), InputError);
  }
  SECTION("rows with NaN are dropped and told") {
    input.sample_index.reset();
    input.cloud = sampled.narrow(0, 0, 2000).clone();
    const GraspOutput clean = model.predict(input);
    at::Tensor holes = at::cat({sampled.narrow(0, 0, 2000), sampled.narrow(0, 0, 3)});
    holes[2000][0] = std::nan("");
    holes[2001][2] = std::numeric_limits<double>::infinity();
    holes[2002][1] = -std::numeric_limits<double>::infinity();
    input.cloud = holes;
    const GraspOutput output_with_holes = model.predict(input);
    REQUIRE(!output_with_holes.accounting.warnings.empty());
    CHECK(output_with_holes.accounting.warnings[0].find("dropped 3 points") != std::string::npos);
    CHECK(rows_of(output_with_holes.grasps).equal(rows_of(clean.grasps)));
  }
}

TEST_CASE("GSNet predict: small and absurd clouds") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  const at::Tensor sampled = Goldens(folder)("cloud_sampled").to(at::kDouble);
  GraspModel& model = golden_model(folder);
  const auto check_sound = [&](const at::Tensor& cloud) {
    const GraspOutput output = model.predict(tests::cloud_input(cloud));
    CHECK(count_of(output, "sampled") == 15000);
    CHECK(count_of(output, "voxels") <= cloud.size(0));
    if (output.grasps.empty()) {
      CHECK(output.accounting.warnings.size() == 1);
    } else {
      CHECK(at::isfinite(rows_of(output.grasps)).all().item<bool>());
    }
  };
  for (const std::int64_t count : {1, 2, 37}) {
    CAPTURE(count);
    check_sound(sampled.narrow(0, 0, count));
  }
  check_sound(sampled.narrow(0, 0, 1).expand({500, 3}).contiguous());
  at::Tensor far = sampled.narrow(0, 0, 300).clone();
  far[7][0] = 20000.0;  // a key of the curve has 21 bits an axis
  check_sound(far);

  for (const at::Tensor& nothing :
       {at::empty({0, 3}, at::kDouble), at::full({5, 3}, std::nan(""), at::kDouble)}) {
    const GraspOutput output = model.predict(tests::cloud_input(nothing));
    CHECK(output.grasps.empty());
    REQUIRE(!output.accounting.warnings.empty());
    CHECK(output.accounting.warnings.back().find("so there is no grasp") != std::string::npos);
  }
  far[7][0] = 1e9;
  CHECK_THROWS_AS(model.predict(tests::cloud_input(far)), InputError);
}

TEST_CASE("GSNet: frames in a batch have the features of frames alone, to the bit") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  const at::Tensor voxels = Goldens(folder)("voxel_coords");
  const Network network(Weights(tests::gsnet_weights(folder).tensors), at::kCPU);
  const at::Tensor first = voxels.narrow(0, 0, 700);
  at::Tensor second = voxels.narrow(0, 500, 900).clone();
  const at::Tensor alone = network.voxel_features(sparse_levels(first));
  const at::Tensor other = network.voxel_features(sparse_levels(second));
  second.select(1, 0).fill_(1);
  const at::Tensor both = network.voxel_features(sparse_levels(at::cat({first, second})));
  CHECK(both.narrow(0, 0, 700).equal(alone));
  CHECK(both.narrow(0, 700, 900).equal(other));
}

}  // namespace
}  // namespace grasppanda::models::gsnet
