#include "models/grasp_postprocess.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include "lib/config/config.h"
#include "models/checkpoint_error.h"
#include "models/contact_graspnet/keys.h"
#include "tests/catch.h"

namespace grasppanda::models {
namespace {

struct Row {
  float score = 1, width = 0.08F, x = 0;
  std::array<float, 3> approach = {0, 0, 1};  // with a closing direction at right angles
};

/// Grasps side by side along x that look along their approach.
at::Tensor rows_of(const std::vector<Row>& grasps) {
  at::Tensor rows = at::zeros({static_cast<std::int64_t>(grasps.size()), 17}, at::kFloat);
  for (std::size_t i = 0; i < grasps.size(); ++i) {
    float* row = rows.mutable_data_ptr<float>() + 17 * i;
    const auto& a = grasps[i].approach;
    const std::array<float, 3> b =
        a[0] == 0 ? std::array<float, 3>{1, 0, 0} : std::array<float, 3>{0, 1, 0};
    const std::array<float, 3> n = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2],
                                    a[0] * b[1] - a[1] * b[0]};
    row[0] = grasps[i].score;
    row[1] = grasps[i].width;
    row[2] = 0.02F;
    row[3] = 0.025F;
    for (std::size_t axis = 0; axis < 3; ++axis) {
      row[4 + 3 * axis] = a[axis];
      row[5 + 3 * axis] = b[axis];
      row[6 + 3 * axis] = n[axis];
    }
    row[13] = grasps[i].x;
    row[16] = -1;
  }
  return rows;
}

SceneClouds no_scene() {
  return {at::empty({0, 3}, at::kDouble), at::empty({0, 3}, at::kFloat)};
}

PostprocessSettings everything_off() {
  PostprocessSettings settings;
  settings.collision = settings.nms = settings.sort = false;
  return settings;
}

std::vector<std::int64_t> kept(const at::Tensor& rows, const PostprocessSettings& settings,
                               Accounting& accounting, const SceneClouds& clouds = no_scene()) {
  const KeptGrasps result = postprocess_grasps(rows, clouds, settings, accounting);
  CHECK(result.rows.equal(rows.index_select(0, result.index)));  // rows pass through unchanged
  const std::int64_t* index = result.index.const_data_ptr<std::int64_t>();
  return {index, index + result.index.numel()};
}

using Index = std::vector<std::int64_t>;
using Counts = std::vector<std::pair<std::string, std::int64_t>>;

// Three far apart, the last close to the first and worse; scores 0.5, 0.9, 0.7, 0.4.
const std::vector<Row> kGrasps = {{.score = 0.5F, .x = 0},
                                  {.score = 0.9F, .x = 1},
                                  {.score = 0.7F, .x = 2},
                                  {.score = 0.4F, .x = 0.01F}};

TEST_CASE("post-processing: every step can be switched off") {
  const at::Tensor rows = rows_of(kGrasps);
  Accounting accounting;
  PostprocessSettings settings = everything_off();
  CHECK(kept(rows, settings, accounting) == Index{0, 1, 2, 3});
  CHECK(accounting.counts.empty());

  SECTION("sort") {
    settings.sort = true;
    CHECK(kept(rows, settings, accounting) == Index{1, 2, 0, 3});
  }
  SECTION("suppression sorts as well") {
    settings.nms = true;
    settings.nms_rotation_rad = 0.5;
    CHECK(kept(rows, settings, accounting) == Index{1, 2, 0});
    CHECK(accounting.counts == Counts{{"after_nms", 3}});
  }
  SECTION("top k of the best, in their own order when not sorted") {
    settings.top_k = 2;
    CHECK(kept(rows, settings, accounting) == Index{1, 2});
    CHECK(accounting.counts == Counts{{"after_top_k", 2}});
    settings.sort = true;
    CHECK(kept(rows_of({{.score = 1}, {.score = 3}, {.score = 2}, {.score = 4}}), settings,
               accounting) == Index{3, 1});
    settings.sort = false;
    CHECK(kept(rows_of({{.score = 1}, {.score = 3}, {.score = 2}, {.score = 4}}), settings,
               accounting) == Index{1, 3});
    settings.top_k = 100;
    CHECK(kept(rows, settings, accounting).size() == 4);
  }
  SECTION("equal scores stay in order") {
    settings.sort = true;
    CHECK(kept(rows_of({{.score = 1}, {.score = 2}, {.score = 1}, {.score = 2}}), settings,
               accounting) == Index{1, 3, 0, 2});
  }
}

TEST_CASE("post-processing: collision against the cloud that was chosen") {
  const at::Tensor rows = rows_of(kGrasps);
  PostprocessSettings settings = everything_off();
  settings.collision = true;
  settings.collision_settings = {
      .voxel_size = 0.005, .approach_dist = 0.05, .collision_thresh = 0.01};
  // A dense block in the left finger of the second grasp: fingers end at depth 0.025 along z.
  at::Tensor block = at::rand({2000, 3}, at::kDouble) * 0.01;
  block = block + at::tensor({1.04, -0.005, 0.005}, at::kDouble);
  const SceneClouds clouds = {block, at::empty({0, 3}, at::kFloat)};
  Accounting accounting;
  CHECK(kept(rows, settings, accounting, clouds) == Index{0, 2, 3});
  CHECK(accounting.counts == Counts{{"after_collision", 3}});
  settings.collision_cloud = CollisionCloud::full_float32;
  CHECK(kept(rows, settings, accounting, clouds) == Index{0, 2, 3});
  settings.collision_cloud = CollisionCloud::sampled;  // which is empty here
  CHECK(kept(rows, settings, accounting, clouds) == Index{0, 1, 2, 3});
  settings.collision_cloud = CollisionCloud::full;
  settings.collision_settings.collision_thresh = 0;  // no check at all
  CHECK(kept(rows, settings, accounting, clouds) == Index{0, 1, 2, 3});
}

TEST_CASE(
    "post-processing: a cloud of absurd extent is the input's fault, where there are grasps") {
  PostprocessSettings settings = everything_off();
  settings.collision = true;
  const at::Tensor far = at::tensor({0.0, 0.0, 0.0, 1e30, 0.0, 0.0}, at::kDouble).view({2, 3});
  const SceneClouds clouds = {far, far.to(at::kFloat)};
  Accounting accounting;
  CHECK_THROWS_AS(postprocess_grasps(rows_of(kGrasps), clouds, settings, accounting), InputError);
  CHECK(postprocess_grasps(rows_of({}), clouds, settings, accounting).rows.size(0) == 0);
}

TEST_CASE("post-processing: widths and the approach cone come before suppression") {
  // The better of two coinciding grasps is too wide: the other must survive.
  const at::Tensor rows =
      rows_of({{.score = 0.9F, .width = 0.09F}, {.score = 0.5F, .width = 0.07F}});
  PostprocessSettings settings = everything_off();
  settings.nms = true;
  settings.nms_rotation_rad = 0.5;
  Accounting accounting;
  CHECK(kept(rows, settings, accounting) == Index{0});
  settings.max_width = 0.08;
  accounting = {};
  CHECK(kept(rows, settings, accounting) == Index{1});
  CHECK(accounting.counts == Counts{{"after_max_width", 1}, {"after_nms", 1}});

  const float s = std::sin(0.5F), c = std::cos(0.5F);
  const at::Tensor turned =
      rows_of({{.approach = {s, 0, c}}, {.approach = {0, 0, 1}}, {.approach = {0, 0, -1}}});
  PostprocessSettings cone = everything_off();
  cone.approach_cone = ApproachCone{{0, 0, 3}, 0.51};
  CHECK(kept(turned, cone, accounting) == Index{0, 1});
  cone.approach_cone->half_angle_rad = 0.49;
  CHECK(kept(turned, cone, accounting) == Index{1});
  cone.approach_cone->half_angle_rad = std::numbers::pi;
  CHECK(kept(turned, cone, accounting) == Index{0, 1, 2});
}

TEST_CASE("post-processing: rows with NaN are dropped with a warning") {
  at::Tensor rows = rows_of(kGrasps);
  rows[1][5] = std::numeric_limits<float>::quiet_NaN();
  rows[2][0] = std::numeric_limits<float>::infinity();
  PostprocessSettings settings;
  settings.nms_rotation_rad = 0.5;
  Accounting accounting;
  const KeptGrasps result = postprocess_grasps(rows, no_scene(), settings, accounting);
  CHECK(result.index.equal(at::tensor({0}, at::kLong)));
  REQUIRE(accounting.warnings.size() == 1);
  CHECK(accounting.warnings.front() == "decode: dropped 2 of 4 grasps that hold NaN or infinity");
}

TEST_CASE("post-processing: nothing in, nothing out; one warning where the last grasp went") {
  PostprocessSettings settings;
  settings.nms_rotation_rad = 0.5;
  Accounting accounting;
  CHECK(postprocess_grasps(rows_of({}), no_scene(), settings, accounting).rows.sizes() ==
        at::IntArrayRef{0, 17});
  CHECK(accounting.warnings.empty());
  settings.max_width = 0.01;
  CHECK(kept(rows_of(kGrasps), settings, accounting).empty());
  REQUIRE(accounting.warnings.size() == 1);
  CHECK(accounting.warnings.front() == "no grasp left: 4 were wider than postprocess.max_width");
}

TEST_CASE("post-processing: settings as the configuration states them") {
  const std::array<const config::KeyTable*, 2> tables = {&config::common_keys(),
                                                         &contact_graspnet_keys()};
  const auto read = [&](const std::string& more) {
    return postprocess_settings(
        config::parse_config("model: {name: contact_graspnet}\n" + more, "test.yaml", {}, tables));
  };
  const PostprocessSettings defaults = read("");
  CHECK(defaults.collision);
  CHECK(defaults.collision_cloud == CollisionCloud::full);
  CHECK(defaults.collision_settings.collision_thresh == 0.01);
  CHECK(defaults.collision_settings.voxel_size == 0.01);
  CHECK(defaults.collision_settings.approach_dist == 0.05);
  CHECK(defaults.nms);
  CHECK(defaults.nms_translation == 0.03);
  CHECK(defaults.nms_rotation_rad == 30.0 / 180.0 * std::numbers::pi);
  CHECK(defaults.sort);
  CHECK(defaults.top_k == 0);
  CHECK_FALSE(defaults.max_width);
  CHECK_FALSE(defaults.approach_cone);
  const PostprocessSettings changed = read(
      "postprocess: {nms: {enabled: false}, sort: false, top_k: 5, max_width: 0.07,\n"
      "  collision: {enabled: false, cloud: sampled}, approach_cone_deg: 60,\n"
      "  approach_direction: [0, 1, 0]}\n");
  CHECK_FALSE(changed.nms);
  CHECK_FALSE(changed.sort);
  CHECK_FALSE(changed.collision);
  CHECK(changed.collision_cloud == CollisionCloud::sampled);
  CHECK(changed.top_k == 5);
  CHECK(changed.max_width == 0.07);
  REQUIRE(changed.approach_cone);
  CHECK(changed.approach_cone->half_angle_rad == Approx(std::numbers::pi / 3));
  CHECK(changed.approach_cone->direction == geometry::Vec3{0, 1, 0});
}

TEST_CASE("grasp group: the 17 columns in their order") {
  at::Tensor row = at::arange(17, at::kFloat).view({1, 17});
  const geometry::GraspGroup group = grasp_group(row);
  REQUIRE(group.size() == 1);
  CHECK(group[0].score == 0);
  CHECK(group[0].depth == 3);
  CHECK(group[0].rotation[8] == 12);
  CHECK(group[0].translation[2] == 15);
  CHECK(group[0].object_id == 16);
  CHECK(grasp_group(rows_of({})).empty());
}

}  // namespace
}  // namespace grasppanda::models
