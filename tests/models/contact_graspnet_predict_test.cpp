// The whole model: recipe for a recorded frame, `--points`, masks, empty inputs, the record.
#include "models/contact_graspnet/contact_graspnet.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lib/config/config.h"
#include "lib/io/checkpoint.h"
#include "models/checkpoint_error.h"
#include "models/contact_graspnet/keys.h"
#include "tests/catch.h"
#include "tests/models/goldens.h"
#include "tests/models/recorded_frame.h"

namespace grasppanda::models {
namespace {

using tests::Goldens;

std::unique_ptr<GraspModel> trained(const std::filesystem::path& weights,
                                    const std::string& more = "") {
  const std::array<const config::KeyTable*, 2> tables = {&config::common_keys(),
                                                         &contact_graspnet_keys()};
  const config::Config config =
      config::parse_config("model:\n  name: contact_graspnet\n" + more, "test.yaml", {}, tables);
  return contact_graspnet::load(config, io::read_checkpoint(weights), at::kCPU);
}

GraspInput input_of(const at::Tensor& cloud, std::uint64_t seed = 0) {
  GraspInput input;
  input.cloud = cloud;
  input.seed = seed;
  return input;
}

GraspInput points_of(const at::Tensor& points) {
  GraspInput input = input_of(points.to(at::kDouble));
  input.network_points = points;
  return input;
}

std::int64_t count(const GraspOutput& output, const std::string& name) {
  for (const auto& [key, value] : output.accounting.counts) {
    if (key == name) return value;
  }
  FAIL("no count " << name);
  return -1;
}

at::Tensor rows_of(const geometry::GraspGroup& grasps) {
  return at::from_blob(const_cast<geometry::Grasp*>(grasps.data()),
                       {static_cast<std::int64_t>(grasps.size()), 17}, at::kFloat)
      .clone();
}

const char* const kNoPostprocess =
    "postprocess: {collision: {enabled: false}, nms: {enabled: false}}\n";

TEST_CASE("Contact-GraspNet predict: the recipe on the recorded frame, any sample") {
  GP_NEED_DATA(weights, "data/weights/contact_graspnet.safetensors");
  GP_NEED_DATA(folder, "data/frames/graspnet_example");
  const at::Tensor cloud = tests::recorded_cloud(folder);
  const auto model = trained(weights, kNoPostprocess);
  const at::Tensor up = at::tensor({0.01465, 0.28996, -0.95693}, at::kDouble);
  const double offset = 0.4634;
  for (const std::uint64_t seed : {0, 1}) {
    CAPTURE(seed);
    const GraspOutput output = model->predict(input_of(cloud, seed));
    CHECK(count(output, "sampled") == 20000);
    CHECK(count(output, "seeds") == 2048);
    const at::Tensor rows = rows_of(output.grasps).to(at::kDouble);
    REQUIRE(rows.size(0) == count(output, "grasps"));
    REQUIRE(rows.size(0) > 40);  // 86 with the goldens' sample and table
    CHECK(rows.select(1, 0).min().item<double>() > 0.5);
    CHECK((rows.select(1, 1) - 0.08F).abs().max().item<double>() == 0);  // full opening
    const at::Tensor approach = rows.narrow(1, 4, 9).reshape({-1, 3, 3}).select(2, 0);
    // The middle between the contacts lies on the contact line, the depth beyond the origin.
    const at::Tensor contact = rows.narrow(1, 13, 3) + 0.025 * approach;
    const at::Tensor height = at::mv(contact, up) + offset, down = -at::mv(approach, up);
    const auto share = [](const at::Tensor& mask) {
      return mask.to(at::kDouble).mean().item<double>();
    };
    CHECK(share(height > 0.006) > 0.95);
    CHECK(share(down > 0.5) > 0.70);
    CHECK(share(down > 0) > 0.95);
    // Best first.
    const at::Tensor score = rows.select(1, 0);
    CHECK(score.equal(std::get<0>(score.sort(0, true))));
    REQUIRE(output.extra.size() == 1);
    CHECK(output.extra[0].first == "width_predicted");
    CHECK(output.extra[0].second.size() == output.grasps.size());
    CHECK(*std::ranges::max_element(output.extra[0].second) <= 0.04F);
    CHECK(output.accounting.warnings.empty());
  }
}

TEST_CASE("Contact-GraspNet predict: default recipe, stage dumps and the record of the frame") {
  GP_NEED_DATA(weights, "data/weights/contact_graspnet.safetensors");
  GP_NEED_DATA(folder, "data/frames/graspnet_example");
  GP_NEED_DATA(golden_folder, "goldens/contact_graspnet/frame_table_up");
  const Goldens golden(golden_folder);
  const auto model = trained(weights);
  std::map<std::string, at::Tensor> stages;
  const GraspOutput output = model->predict(
      input_of(tests::recorded_cloud(folder)),
      [&](const std::string& stage, const at::Tensor& value) { stages[stage] = value; });
  // Every array of the goldens' table, in its shape, floating or integer as there.
  for (const char* name : {"points",
                           "sa1_idx",
                           "sa2_idx",
                           "sa3_idx",
                           "sa1_1_nbr",
                           "sa1_2_nbr",
                           "sa1_3_nbr",
                           "sa2_1_nbr",
                           "sa2_2_nbr",
                           "sa2_3_nbr",
                           "sa3_1_nbr",
                           "sa3_2_nbr",
                           "sa3_3_nbr",
                           "sa1_1_count",
                           "sa2_2_count",
                           "sa3_3_count",
                           "sa1_rows",
                           "sa2_rows",
                           "sa3_rows",
                           "fp1_rows",
                           "fp2_rows",
                           "fp3_rows",
                           "fp1_nn",
                           "fp2_nn",
                           "fp3_nn",
                           "fp1_d2",
                           "fp2_d2",
                           "fp3_d2",
                           "head_conf",
                           "head_z1",
                           "head_z2",
                           "head_w",
                           "confidence",
                           "width",
                           "grasps",
                           "width_gw016",
                           "grasps_gw016",
                           "grasps17",
                           "grasps17_gw016",
                           "grasps17_camera",
                           "kept_threshold_050",
                           "sample_idx",
                           "table_from_camera_rotation",
                           "cloud_mean",
                           "plane"}) {
    CAPTURE(name);
    REQUIRE(stages.contains(name));
    const at::Tensor want = golden(name), got = stages.at(name);
    CHECK(got.dim() == want.dim());
    if (std::string(name) != "kept_threshold_050") CHECK(got.sizes() == want.sizes());
    CHECK(got.is_floating_point() == want.is_floating_point());
    if (want.is_floating_point()) CHECK(got.scalar_type() == want.scalar_type());
  }
  tests::check_equal_integers(stages.at("sample_idx"), golden.integers("sample_idx"));
  // The steps, in their order, with numbers that only fall; the goldens' picture shows 59 free of
  // collision at 5 mm cells.
  std::vector<std::string> names;
  for (const auto& [name, value] : output.accounting.counts) names.push_back(name);
  CHECK(names ==
        std::vector<std::string>{"sampled", "seeds", "grasps", "after_collision", "after_nms"});
  CHECK(count(output, "after_collision") <= count(output, "grasps"));
  CHECK(count(output, "after_nms") <= count(output, "after_collision"));
  CHECK(static_cast<std::int64_t>(output.grasps.size()) == count(output, "after_nms"));
  CHECK(output.grasps.size() > 3);
  names.clear();
  for (const auto& [name, value] : output.accounting.seconds) names.push_back(name);
  CHECK(names == std::vector<std::string>{"prepare", "network", "postprocess"});
}

TEST_CASE("Contact-GraspNet predict: points as given are not touched") {
  GP_NEED_DATA(weights, "data/weights/contact_graspnet.safetensors");
  GP_NEED_DATA(folder, "goldens/contact_graspnet/scene_a");
  const Goldens golden(folder);
  const auto model = trained(weights, "  opening: predicted\n" + std::string(kNoPostprocess));
  at::Tensor seen;
  bool camera_frame = false;
  const GraspOutput output = model->predict(
      points_of(golden("points")), [&](const std::string& stage, const at::Tensor& value) {
        if (stage == "points") seen = value;
        camera_frame |= stage == "grasps17_camera" || stage == "table_from_camera_rotation";
      });
  CHECK(seen.equal(golden("points")));
  CHECK_FALSE(camera_frame);
  // The kept rows, best first, in the points' own frame.
  const at::Tensor keep = golden.integers("kept_threshold_050");
  const at::Tensor want = golden("grasps17").index_select(0, keep);
  const at::Tensor order = std::get<1>(want.select(1, 0).sort(0, true));
  const at::Tensor got = rows_of(output.grasps);
  REQUIRE(got.sizes() == want.sizes());
  CHECK(tests::absolute_deviation(got, want.index_select(0, order)).of_99_percent < 3e-4);
  CHECK(tests::absolute_deviation(got.select(1, 0), want.select(1, 0).index_select(0, order))
            .largest < 1.5e-3);
  // Collision uses these points: with it, fewer are left.
  const GraspOutput checked = trained(weights)->predict(points_of(golden("points")));
  CHECK(count(checked, "grasps") == 142);
  CHECK(count(checked, "after_collision") < 142);
  CHECK(count(checked, "after_collision") > 0);
}

TEST_CASE("Contact-GraspNet predict: same bytes twice, other bytes with another seed") {
  GP_NEED_DATA(weights, "data/weights/contact_graspnet.safetensors");
  at::manual_seed(21);
  // A table with a block on it, seen from above.
  const at::Tensor table =
      at::rand({6000, 3}, at::kDouble) * at::tensor({0.5, 0.5, 0.0}, at::kDouble);
  const at::Tensor block =
      at::rand({3000, 3}, at::kDouble) * at::tensor({0.04, 0.1, -0.08}, at::kDouble) +
      at::tensor({0.2, 0.2, 0.0}, at::kDouble);
  const at::Tensor cloud = at::cat({table, block}) + at::tensor({-0.25, -0.25, 0.9}, at::kDouble);
  for (const char* fps_start : {"first", "random"}) {
    CAPTURE(fps_start);
    const auto model =
        trained(weights, "  score_threshold: 0.001\n  fps_start: " + std::string(fps_start) +
                             "\ninput: {num_points: 5000}\n" + kNoPostprocess);
    const at::Tensor first = rows_of(model->predict(input_of(cloud)).grasps);
    REQUIRE(first.size(0) > 0);
    CHECK(first.equal(rows_of(model->predict(input_of(cloud)).grasps)));
    if (std::string(fps_start) == "first") {
      const at::Tensor other = rows_of(model->predict(input_of(cloud, 1)).grasps);
      CHECK_FALSE((first.sizes() == other.sizes() && first.equal(other)));
    }
  }
}

TEST_CASE("Contact-GraspNet predict: one thread and two agree") {
  GP_NEED_DATA(weights, "data/weights/contact_graspnet.safetensors");
  GP_NEED_DATA(folder, "goldens/contact_graspnet/few_points");
  const at::Tensor points = Goldens(folder)("points");
  const auto model = trained(weights, kNoPostprocess);
  const int threads = at::get_num_threads();
  at::set_num_threads(1);
  const at::Tensor one = rows_of(model->predict(points_of(points)).grasps);
  at::set_num_threads(2);
  const at::Tensor two = rows_of(model->predict(points_of(points)).grasps);
  at::set_num_threads(threads);
  REQUIRE(one.sizes() == two.sizes());
  // The matrix library may split its sums over threads: last bits only.
  CHECK(tests::absolute_deviation(one, two).largest < 1e-4);
}

TEST_CASE("Contact-GraspNet predict: an object mask selects centres, the network sees all") {
  GP_NEED_DATA(weights, "data/weights/contact_graspnet.safetensors");
  GP_NEED_DATA(folder, "goldens/contact_graspnet/scene_a");
  const Goldens golden(folder);
  const auto model = trained(weights, kNoPostprocess);
  GraspInput input = points_of(golden("points"));
  const at::Tensor mask = golden("points").select(1, 0) > 0;
  const at::Tensor on_object = mask.index_select(0, golden.integers("sa1_idx"));
  const std::int64_t want =
      on_object.index_select(0, golden.integers("kept_threshold_050")).sum().item<std::int64_t>();
  REQUIRE(want > 0);
  REQUIRE(want < 142);
  input.object_mask = mask;
  CHECK(count(model->predict(input), "grasps") == want);
  input.object_mask = at::zeros_like(mask);
  const GraspOutput none = model->predict(input);
  CHECK(none.grasps.empty());
  REQUIRE(none.accounting.warnings.size() == 1);
  CHECK(none.accounting.warnings[0].find("object mask") != std::string::npos);
  input.object_mask = mask.narrow(0, 0, 100);
  CHECK_THROWS_AS(model->predict(input), InputError);
}

TEST_CASE("Contact-GraspNet predict: inputs that bite") {
  GP_NEED_DATA(weights, "data/weights/contact_graspnet.safetensors");
  const auto model = trained(weights);
  const auto empty_with_one_warning = [](const GraspOutput& output, const std::string& stage) {
    CHECK(output.grasps.empty());
    REQUIRE(output.accounting.warnings.size() == 1);
    INFO(output.accounting.warnings[0]);
    CHECK(output.accounting.warnings[0].starts_with(stage));
  };
  SECTION("no point at all") {
    empty_with_one_warning(model->predict(input_of(at::empty({0, 3}, at::kDouble))), "cloud: ");
    empty_with_one_warning(model->predict(points_of(at::empty({0, 3}, at::kFloat))), "points: ");
  }
  SECTION("fewer than three distinct points") {
    at::Tensor two = at::ones({5000, 3}, at::kDouble);
    for (const char* up : {"  up: auto\n", "  up: camera\n", "  up: [0, 0, -1]\n"}) {
      const auto as_told = trained(weights, up);
      two[4321][1] = 1.0;
      empty_with_one_warning(as_told->predict(input_of(two)), "cloud: fewer than three");
      two[4321][1] = 1.01;
      empty_with_one_warning(as_told->predict(input_of(two)), "cloud: fewer than three");
      empty_with_one_warning(as_told->predict(points_of(two.to(at::kFloat))),
                             "points: fewer than three");
    }
  }
  SECTION("an origin on the table is no camera's") {
    at::manual_seed(26);
    at::Tensor cloud = at::rand({800, 3}, at::kDouble) - 0.5;
    cloud.select(1, 2).fill_(0.02);
    const GraspOutput output = model->predict(input_of(cloud));
    REQUIRE_FALSE(output.accounting.warnings.empty());
    CHECK(output.accounting.warnings[0].starts_with("table fit: the origin lies only 0.020 m"));
  }
  SECTION("points of absurd extent: the input's fault, told with what to do") {
    at::Tensor points = at::zeros({600, 3}, at::kFloat);
    points.select(1, 0).copy_(at::arange(600, at::kFloat) * 1e35F);
    CHECK_THROWS_AS(model->predict(points_of(points)), InputError);
    const GraspOutput output = trained(weights, kNoPostprocess)->predict(points_of(points));
    for (const geometry::Grasp& grasp : output.grasps) CHECK(std::isfinite(grasp.translation[0]));
  }
  SECTION("no table") {
    at::manual_seed(22);
    CHECK_THROWS_AS(model->predict(input_of(at::rand({5000, 3}, at::kDouble))), InputError);
  }
  SECTION("the up direction as given needs no table; a bare plane gives nothing or little") {
    at::manual_seed(23);
    const auto given = trained(weights, "  up: [0, 0, -1]\n");
    at::Tensor plane = at::rand({3000, 3}, at::kDouble) - 0.5;
    plane.select(1, 2).fill_(0.8);
    CHECK(count(given->predict(input_of(plane)), "sampled") == 3000);
    CHECK(count(given->predict(input_of(at::rand({500, 3}, at::kDouble))), "sampled") == 500);
  }
  SECTION("points that are no numbers are dropped, counted, told") {
    at::manual_seed(24);
    const auto as_is = trained(weights, "  up: camera\n");
    at::Tensor cloud = at::rand({500, 3}, at::kDouble) / 10;
    cloud[3][1] = std::numeric_limits<double>::quiet_NaN();
    cloud[7][2] = std::numeric_limits<double>::infinity();
    const GraspOutput output = as_is->predict(input_of(cloud));
    CHECK(count(output, "sampled") == 498);
    REQUIRE_FALSE(output.accounting.warnings.empty());
    CHECK(output.accounting.warnings[0] ==
          "cloud: dropped 2 points with NaN or infinite coordinates");
    const GraspOutput points = as_is->predict(points_of(cloud.to(at::kFloat)));
    CHECK(count(points, "sampled") == 498);
  }
  SECTION("a sample of the caller's") {
    at::manual_seed(25);
    const auto as_is = trained(weights, "  up: camera\n");
    GraspInput input = input_of(at::rand({500, 3}, at::kDouble) / 10);
    input.sample_index = std::vector<std::int64_t>{7, 3, 3, 499};
    at::Tensor sample, points;
    as_is->predict(input, [&](const std::string& stage, const at::Tensor& value) {
      if (stage == "sample_idx") sample = value;
      if (stage == "points") points = value;
    });
    tests::check_equal_integers(sample, at::tensor({7, 3, 3, 499}, at::kLong));
    CHECK(points.size(0) == 4);
    CHECK(points[1].equal(points[2]));
    input.sample_index->push_back(500);
    CHECK_THROWS_AS(as_is->predict(input), InputError);
    input.sample_index = std::vector<std::int64_t>{};
    CHECK(as_is->predict(input).grasps.empty());
  }
}

}  // namespace
}  // namespace grasppanda::models
