#include "lib/ops/grasp/collision_detection.h"

#include <cmath>
#include <limits>
#include <vector>

#include "lib/ops/grasp/scene_voxels.h"
#include "lib/ops/seeded_clouds.h"
#include "tests/catch.h"
#include "tests/ops/refused.h"

namespace grasppanda::tests {
namespace {

// One upright gripper at the origin: width 0.05, height 0.02, depth 0.02. Its fingers reach from
// x = -0.04 to 0.02, the palm from -0.05 to -0.04, the approach path from -0.10 to -0.05.
at::Tensor gripper(at::ScalarType type = at::kDouble) {
  return at::tensor({1., 0.05, 0.02, 0.02, 1., 0., 0., 0., 1., 0., 0., 0., 1., 0., 0., 0., -1.},
                    at::kDouble)
      .view({1, 17})
      .to(type);
}

at::Tensor scene(const std::vector<double>& xyz) {
  return at::tensor(xyz, at::kDouble).view({-1, 3});
}

constexpr ops::CollisionSettings kSettings{0.001, 0.05, 0.01, 0.01};

// Which of left, right, bottom, shifting, inner a single point falls into, as a bit mask.
int zone(double x, double y, double z) {
  const ops::Collisions found = ops::collision_detection(gripper(), scene({x, y, z}), kSettings);
  int mask = 0;
  for (int i = 1; i < 5; ++i)
    if (found.ious[i][0].item<double>() > 0) mask |= 1 << (i - 1);
  const bool any = found.ious[0][0].item<double>() > 0;
  CHECK(any == (mask != 0));
  return mask;
}

TEST_CASE("collision_detection: zones of a gripper, one point at a time") {
  CHECK(zone(0, -0.03, 0) == 1);     // left finger
  CHECK(zone(0, 0.03, 0) == 2);      // right finger
  CHECK(zone(-0.045, 0, 0) == 4);    // palm
  CHECK(zone(-0.08, 0.02, 0) == 8);  // approach path
  CHECK(zone(0, 0, 0) == 0);         // between the fingers
  CHECK(zone(0, 0.036, 0) == 0);     // beside
  CHECK(zone(0.03, 0.03, 0) == 0);   // beyond the tips
  CHECK(zone(-0.11, 0, 0) == 0);     // behind the path
  CHECK(zone(0, 0.03, 0.011) == 0);  // above
  SECTION("height and tips are strict") {
    CHECK(zone(0, 0.03, 0.01) == 0);
    CHECK(zone(0, 0.03, -0.01) == 0);
    CHECK(zone(0.02, 0.03, 0) == 0);
  }
}

TEST_CASE("collision_detection: overlaps are points over voxels") {
  // Volumes in voxels of 1 mm: finger 0.02*0.06*0.01, palm 0.02*0.07*0.01, path 0.02*0.07*0.05.
  const ops::Collisions found = ops::collision_detection(
      gripper(), scene({0, -0.03, 0, 0.01, -0.03, 0, 0, 0.03, 0, -0.045, 0, 0, -0.08, 0, 0}),
      kSettings);
  const std::vector<double> want = {5 / (2 * 12000. + 14000 + 70000), 2 / 12000., 1 / 12000.,
                                    1 / 14000., 1 / 70000.};
  for (int i = 0; i < 5; ++i) CHECK(found.ious[i][0].item<double>() == Approx(want[i]));
  CHECK_FALSE(found.collision_mask[0].item<bool>());
  CHECK(found.empty_mask[0].item<bool>());
}

TEST_CASE("collision_detection: thresholds, empty scenes, degenerate grippers") {
  const at::Tensor wall = scene({0, 0.03, 0});
  ops::CollisionSettings settings = kSettings;
  settings.voxel_size = 0.01;  // one point in 108 voxels
  settings.collision_thresh = 1 / 108.5;
  CHECK(ops::collision_detection(gripper(), wall, settings).collision_mask[0].item<bool>());
  settings.collision_thresh = 1 / 107.5;
  CHECK_FALSE(ops::collision_detection(gripper(), wall, settings).collision_mask[0].item<bool>());

  const ops::Collisions none = ops::collision_detection(gripper(), at::zeros({0, 3}), kSettings);
  CHECK_FALSE(none.collision_mask[0].item<bool>());
  CHECK(none.ious.eq(0).all().item<bool>());
  CHECK(ops::collision_detection(at::zeros({0, 17}), wall, kSettings).ious.sizes() ==
        at::IntArrayRef{5, 0});

  SECTION("a closed gripper is not empty: 0 / 0 is no number below the threshold") {
    at::Tensor closed = gripper();
    closed[0][1] = 0;
    CHECK_FALSE(ops::collision_detection(closed, wall, kSettings).empty_mask[0].item<bool>());
  }
  SECTION("an approach shorter than a finger is wide is a finger's width") {
    settings = kSettings;
    settings.approach_dist = 0;
    const at::Tensor behind = scene({-0.055, 0, 0});
    CHECK(ops::collision_detection(gripper(), behind, settings).ious[4][0].item<double>() > 0);
  }
  SECTION("NaN in a grasp touches nothing") {
    at::Tensor broken = gripper();
    broken[0][5] = NAN;
    CHECK_FALSE(ops::collision_detection(broken, wall, kSettings).collision_mask[0].item<bool>());
  }
  SECTION("holes in the cloud are no obstacles") {
    const double nan = std::numeric_limits<double>::quiet_NaN(),
                 inf = std::numeric_limits<double>::infinity();
    const at::Tensor holes = scene({nan, 0, 0, 0, 0.03, 0, 0, inf, 0, -inf, 0, nan});
    CHECK(ops::collision_detection(gripper(), holes, kSettings)
              .ious.equal(ops::collision_detection(gripper(), wall, kSettings).ious));
  }
}

TEST_CASE("collision_detection: the grid finds what a look at every point finds") {
  const at::Tensor cloud = ops::seeded_cloud(ops::CloudKind::table_top, 1, 20000, 5)[0];
  const int64_t count = 200;
  at::Tensor grasps = at::zeros({count, 17});
  grasps.select(1, 1).fill_(0.08F);
  grasps.select(1, 2).fill_(0.02F);
  grasps.select(1, 3).fill_(0.03F);
  grasps.narrow(1, 4, 9).copy_(ops::seeded_rotations(1, count, 6)[0].view({count, 9}));
  grasps.narrow(1, 13, 3).copy_(cloud.narrow(0, 0, count));
  const ops::CollisionSettings settings{0.005, 0.05, 0.01, 0.01};
  const ops::Collisions found = ops::collision_detection(grasps, cloud, settings);

  const at::Tensor wide = cloud.to(at::kDouble).contiguous();
  const std::vector<ops::Point> points =
      ops::scene_voxels(wide.data_ptr<double>(), wide.size(0), settings.voxel_size);
  const float* rows = grasps.data_ptr<float>();
  int64_t differing = 0, touching = 0;
  for (int64_t i = 0; i < count; ++i) {
    const float* g = rows + 17 * i;
    const float h = g[2] / 2, w = g[1] / 2, outer = g[1] / 2 + 0.01F, palm = g[3] - 0.06F,
                back = palm - 0.01F, start = back - 0.05F;
    int64_t hits = 0;
    for (const ops::Point& p : points) {
      double local[3];
      for (int c = 0; c < 3; ++c)
        local[c] =
            (p[0] - g[13]) * g[4 + c] + (p[1] - g[14]) * g[7 + c] + (p[2] - g[15]) * g[10 + c];
      const auto [x, y, z] = local;
      if (!(-h < z && z < h && -outer < y && y < outer)) continue;
      const bool finger = palm < x && x < g[3] && (y < -w || y > w);
      hits += finger || (start < x && x <= palm);
    }
    const float voxel = static_cast<float>(std::pow(settings.voxel_size, 3));
    const float side = g[2] * 0.06F * 0.01F / voxel, span = g[1] + 0.02F;
    const float all = side * 2 + g[2] * span * 0.01F / voxel + g[2] * span * 0.05F / voxel;
    differing += found.ious[0][i].item<double>() !=
                 static_cast<double>(hits) / static_cast<double>(all + 1e-6F);
    touching += hits > 0;
  }
  CHECK(differing == 0);
  CHECK(touching > 100);
}

TEST_CASE("scene_voxels: means in input order, the lattice half a voxel below the minimum") {
  const std::vector<double> cloud = {0, 0, 0, 0.4, 0, 0, 0.6, 0, 0, 10, 0, 0};
  const std::vector<ops::Point> means = ops::scene_voxels(cloud.data(), 4, 1);
  REQUIRE(means.size() == 3);
  CHECK(means[0] == ops::Point{0.2, 0, 0});
  CHECK(means[1] == ops::Point{0.6, 0, 0});
  CHECK(means[2] == ops::Point{10, 0, 0});
}

TEST_CASE("collision_detection: refused arguments") {
  const at::Tensor cloud = at::zeros({4, 3});
  const auto run = [&](ops::CollisionSettings settings) {
    ops::collision_detection(gripper(), cloud, settings);
  };
  check_refused("collision_detection", "grasps has shape (1, 16)", [&] {
    ops::collision_detection(at::zeros({1, 16}), cloud, kSettings);
  });
  check_refused("collision_detection", "grasps is Half",
                [&] { ops::collision_detection(gripper(at::kHalf), cloud, kSettings); });
  check_refused("collision_detection", "cloud has shape (4, 2)", [&] {
    ops::collision_detection(gripper(), at::zeros({4, 2}), kSettings);
  });
  check_refused("collision_detection", "voxel_size is 0", [&] { run({0, 0.05, 0.01, 0.01}); });
  check_refused("collision_detection", "voxel_size is nan", [&] { run({NAN, 0.05, 0.01, 0.01}); });
  check_refused("collision_detection", "approach_dist", [&] { run({0.01, NAN, 0.01, 0.01}); });
  check_refused("collision_detection", "collision_thresh", [&] { run({0.01, 0.05, NAN, 0.01}); });
  check_refused("collision_detection", "cloud spans more than 2^31 voxels", [&] {
    ops::collision_detection(gripper(), scene({0, 0, 0, 1e9, 0, 0}), kSettings);
  });
}

}  // namespace
}  // namespace grasppanda::tests
