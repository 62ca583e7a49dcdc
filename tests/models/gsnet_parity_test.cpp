// The network stage by stage against the goldens: each stage fed with the goldens' own inputs.
// Bounds: ten times what float32 itself is from float64 on this frame.
#include <map>
#include <string>

#include "lib/ops/grasp/collision_detection.h"
#include "lib/ops/grasp/grasp_nms.h"
#include "lib/ops/point/voxelize.h"
#include "models/gsnet/architecture.h"
#include "models/gsnet/decode.h"
#include "models/gsnet/network.h"
#include "models/gsnet/preprocess.h"
#include "models/numpy_random.h"
#include "tests/models/gsnet_goldens.h"
#include "tests/models/recorded_frame.h"

namespace grasppanda::models::gsnet {
namespace {

using tests::absolute_deviation;
using tests::check_equal_integers;
using tests::Goldens;

constexpr double kFeatures = 2e-4, kLayers = 7.1e-5, kHeads = 8.4e-5, kResidual = 2.4e-4,
                 kViewScores = 2.3e-4, kGroups = 1.9e-4, kProposals = 9.3e-5;

const Network& golden_network(const std::filesystem::path& folder, BatchNormForm form) {
  static std::map<BatchNormForm, Network> made;
  const auto found = made.find(form);
  if (found != made.end()) return found->second;
  return made.emplace(form, Network(Weights(tests::gsnet_weights(folder).tensors), at::kCPU, form))
      .first->second;
}

const Network& golden_network(const std::filesystem::path& folder) {
  return golden_network(folder, BatchNormForm::folded);
}

void check_largest(const at::Tensor& got, const at::Tensor& want, double bound) {
  CHECK(absolute_deviation(got, want).largest < bound);
}

at::Tensor sorted_coords(const at::Tensor& coords) {
  const at::Tensor c = coords.to(at::kLong) + (1 << 14);
  const at::Tensor key =
      ((c.select(1, 0) * (1 << 15) + c.select(1, 1)) * (1 << 15) + c.select(1, 2)) * (1 << 15) +
      c.select(1, 3);
  return key.argsort();
}

TEST_CASE("GSNet: sample, voxels and coordinates of every stride are the golden ones") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  GP_NEED_DATA(frame, "data/frames/graspnet_example");
  const Goldens golden(folder);
  tests::Stages stages;
  Accounting accounting;
  const Prepared prepared = prepare(tests::cloud_input(tests::recorded_cloud(frame)), {},
                                    accounting, tests::into(stages));
  for (const char* name : {"sample_index", "voxel_coords", "quantize2original"})
    check_equal_integers(stages.at(name), golden(name));
  for (const char* name : {"cloud_sampled", "cloud_masked_head"})
    CHECK(stages.at(name).equal(golden(name)));
  CHECK(at::allclose(stages.at("cloud_masked_sum"), golden("cloud_masked_sum"), 1e-9, 1e-6));
  const SparseLevels levels = sparse_levels(prepared.coords);
  REQUIRE(levels.maps.coords.size() == 5);
  for (std::size_t i = 0; i < 5; ++i) {
    const at::Tensor coords = levels.maps.coords[i];
    check_equal_integers(coords.index_select(0, sorted_coords(coords)),
                         golden("coords_stride" + std::to_string(1 << i) + "_sorted"));
  }
}

TEST_CASE("GSNet: scene frames, their workspace boxes and their samples are the golden ones") {
  GP_NEED_DATA(folder, "goldens/gsnet/scene_mini");
  const Goldens golden(folder);
  const auto inputs = datasets::list_inputs({folder.string()});
  REQUIRE(inputs.size() == 2);
  const std::array<std::int64_t, 2> points = {430225, 373158};
  for (std::size_t i = 0; i < 2; ++i) {
    const std::string view = "000" + std::to_string(i);
    CAPTURE(view);
    const datasets::MaskedCloud cloud =
        datasets::masked_cloud(datasets::open_input(inputs[i], {}), {});
    REQUIRE(cloud.points() == points[i]);
    Accounting accounting;
    const Prepared prepared =
        prepare(tests::cloud_input(at::tensor(cloud.xyz, at::kDouble).view({cloud.points(), 3})),
                {}, accounting, {});
    CHECK(prepared.points.size(0) == 15000);
    CHECK(prepared.points.narrow(0, 0, 64).equal(golden("expected_sampled_head_" + view)));
  }
}

TEST_CASE("GSNet: the draw of points is NumPy's, with and without replacement") {
  GP_NEED_DATA(folder, "goldens/gsnet/ops");
  const Goldens golden(folder);
  for (const auto& [seed, n, count] :
       {std::tuple<std::uint64_t, std::int64_t, std::int64_t>{0, 1, 10},
        {3, 15000, 15000},
        {7, 9000, 15000},
        {0, 20001, 15000}}) {
    NumpyRandom random(seed);
    check_equal_integers(at::tensor(sample_with_repetition(random, n, count), at::kLong),
                         golden("sample_seed" + std::to_string(seed) + "_n" + std::to_string(n) +
                                "_N" + std::to_string(count)));
  }
}

/// Per-channel sum and sum of squares of a layer over all voxels.
void check_sums(const Goldens& golden, const std::string& layer, const at::Tensor& rows) {
  CAPTURE(layer);
  const at::Tensor want = golden("unet_" + layer), wide = rows.to(at::kDouble);
  CHECK(((wide.sum(0) - want[0]) / wide.size(0)).abs().max().item<double>() < 4.4e-6);
  CHECK(((wide.square().sum(0) - want[1]) / want[1]).abs().max().item<double>() < 1.4e-5);
}

TEST_CASE("GSNet: the sparse U-Net by itself, every layer") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  const Goldens golden(folder);
  const SparseLevels levels = sparse_levels(golden("voxel_coords"));
  for (const auto& [backend, choice] : tests::kBackends) {
    const ops::ScopedBackends scoped(tests::all_operators(choice));
    for (const BatchNormForm form : {BatchNormForm::folded, BatchNormForm::separate}) {
      DYNAMIC_SECTION(backend << (form == BatchNormForm::folded ? ", folded" : ", separate")) {
        int heads = 0, sums = 0;
        const auto check_layer = [&](const std::string& layer, const at::Tensor& rows,
                                     const at::Tensor& where) {
          CAPTURE(layer);
          check_sums(golden, layer, rows);
          ++sums;
          if (layer == "conv0p1s1") {
            const Weights weights(tests::gsnet_weights(folder).tensors);
            const BatchNorm norm = batch_norm(
                weights("backbone.bn0.bn.weight"), weights("backbone.bn0.bn.bias"),
                weights("backbone.bn0.bn.running_mean"), weights("backbone.bn0.bn.running_var"));
            check_sums(golden, "bn0", rows.to(at::kDouble) * norm.scale + norm.shift);
          }
          if (!golden.has("unet_" + layer + "_first64")) return;
          const at::Tensor first = sorted_coords(where).narrow(0, 0, 64);
          check_largest(rows.index_select(0, first), golden("unet_" + layer + "_first64"), kLayers);
          ++heads;
        };
        const at::Tensor features =
            golden_network(folder, form).voxel_features(levels, check_layer);
        CHECK(heads == 6);
        CHECK(sums == (form == BatchNormForm::folded ? 9 : 17));
        check_sums(golden, "final", features);
        const at::Tensor points = features.index_select(0, golden.integers("quantize2original"));
        check_largest(points.index_select(0, golden.integers("feature_rows")),
                      golden("feature_values"), kFeatures);
        const at::Tensor wide = points.to(at::kDouble);
        check_largest(wide.sum(0), golden("feature_sum"), 6.4e-2);
        const at::Tensor squares = golden("feature_sumsq");
        CHECK(((wide.square().sum(0) - squares) / squares).abs().max().item<double>() < 6.1e-6);
      }
    }
  }
}

TEST_CASE("GSNet: graspable points and seeds, with the goldens' inputs") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  const Goldens golden(folder);
  const Graspable found = golden_network(folder).graspable(golden("feature_values"));
  const at::Tensor rows = golden.integers("feature_rows");
  check_largest(found.objectness, golden("objectness_score").index_select(1, rows), kHeads);
  check_largest(found.graspness, golden("graspness_score").index_select(0, rows), kHeads);
  const Graspable all = {golden("objectness_score"), golden("graspness_score")};
  const at::Tensor index = golden.integers("graspable_index");
  check_equal_integers(Network::graspable_index(all, 0.1F), index);
  const at::Tensor xyz = golden("cloud_sampled").index_select(0, index);
  for (const auto& [backend, choice] : tests::kBackends) {
    CAPTURE(backend);
    const ops::ScopedBackends scoped(tests::all_operators(choice));
    const at::Tensor picks = Network::sample(xyz, 1024);
    check_equal_integers(picks, golden("fps_index"));
    check_equal_integers(index.index_select(0, picks), golden("seed_point_index"));
    CHECK(xyz.index_select(0, picks).equal(golden("xyz_graspable")));
    const Goldens few(folder / "few");
    check_equal_integers(
        Network::sample(golden("cloud_sampled").index_select(0, few.integers("graspable_index")),
                        1024),
        few("fps_index"));
  }
}

TEST_CASE("GSNet: a tie of the logits, a threshold reached exactly and NaN are not graspable") {
  const Graspable points = {at::tensor({0.F, 0.F, 1.F, 0.F, 0.F,  //
                                        1.F, 1.F, 1.F, NAN, 1.F})
                                .view({2, 5}),
                            at::tensor({0.2F, 0.1F, 0.2F, 0.2F, NAN})};
  CHECK(Network::graspable_index(points, 0.1F).equal(at::tensor({0}, at::kLong)));
}

TEST_CASE("GSNet: views, with the goldens' seeds") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  const Goldens golden(folder);
  const Views views = golden_network(folder).views(golden("seed_features"));
  check_largest(views.residual, golden("res_features"), kResidual);
  check_largest(views.score, golden("view_score"), kViewScores);
  check_equal_integers(views.best, golden("top_view_index"));
  const ViewRotations rotations;
  const at::Tensor best = golden.integers("top_view_index");
  CHECK(rotations.upright(best).equal(golden("top_view_rot")));
  CHECK(rotations.views.index_select(0, best).equal(golden("top_view_xyz")));
}

TEST_CASE("GSNet: cylinders, crop and proposals, with the goldens' inputs") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  const Goldens golden(folder);
  const Network& network = golden_network(folder);
  for (const auto& [backend, choice] : tests::kBackends) {
    CAPTURE(backend);
    const ops::ScopedBackends scoped(tests::all_operators(choice));
    const CylinderGroups groups = Network::groups(golden("xyz_graspable"), golden("top_view_rot"));
    check_equal_integers(groups.index, golden("cylinder_index"));
    check_equal_integers(groups.count, golden("cylinder_count"));
    check_largest(groups.offsets, golden("grouped_xyz"), 1e-6);
    const at::Tensor crop = network.crop(golden("seed_features") + golden("res_features"), groups);
    check_largest(crop, golden("group_features"), kGroups);
  }
  const Proposals proposals = network.proposals(golden("group_features"));
  check_largest(proposals.score, golden("grasp_score_pred"), kProposals);
  check_largest(proposals.width, golden("grasp_width_pred"), kProposals);
}

TEST_CASE("GSNet: decoding, suppression and collision have the goldens' bits") {
  GP_NEED_DATA(folder, "goldens/gsnet");
  GP_NEED_DATA(frame, "data/frames/graspnet_example");
  const Goldens golden(folder);
  const at::Tensor rows =
      decode(golden("xyz_graspable"), golden.integers("top_view_index"),
             {golden("grasp_score_pred"), golden("grasp_width_pred")}, ViewRotations());
  CHECK(rows.equal(golden("grasps_decoded")));
  const auto suppressed = [](const at::Tensor& some) {
    return some.index_select(0, ops::grasp_nms(some, 0.03, 0.5235987755982988)).to(at::kDouble);
  };
  CHECK(suppressed(rows).equal(golden("grasps_nms")));
  const Goldens few(folder / "few");
  CHECK(suppressed(few("grasps_decoded")).equal(few("grasps_nms")));
  const std::map<std::string, at::Tensor> clouds = {{"full", tests::recorded_cloud(frame)},
                                                    {"sampled", golden("cloud_sampled")}};
  for (const auto& [name, cloud] : clouds) {
    CAPTURE(name);
    const ops::Collisions found = ops::collision_detection(rows, cloud, {0.01, 0.05, 0.01, 0.01});
    CHECK(found.ious.t().equal(golden("collision_iou_" + name)));
    CHECK(found.collision_mask.equal(golden("collision_mask_" + name)));
    CHECK(found.scene_points.size(0) == golden("collision_scene_points_" + name).size(0));
    const at::Tensor free =
        rows.index_select(0, found.collision_mask.logical_not().nonzero().squeeze(1));
    CHECK(free.equal(golden("grasps_collision_free_" + name)));
    if (name == "full") CHECK(suppressed(free).equal(golden("grasps_collision_free_nms")));
  }
}

}  // namespace
}  // namespace grasppanda::models::gsnet
