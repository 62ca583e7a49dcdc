// Pieces of grasp evaluation by hand: orders of equal scores, clearance, contacts, accuracy.
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <system_error>
#include <thread>

#include "lib/eval/errors.h"
#include "lib/eval/force_closure.h"
#include "lib/eval/grasp_ap.h"
#include "lib/eval/grasp_suppression.h"
#include "lib/eval/gripper_clearance.h"
#include "lib/eval/parallel_items.h"
#include "lib/eval/scene_cloud.h"
#include "lib/eval/singular_vector.h"
#include "lib/eval/upstream_order.h"
#include "tests/catch.h"

namespace grasppanda::tests {
namespace {

using eval::Vec3;

/// Signed distances of a ball around the origin, on a grid of 2 mm.
eval::DistanceGrid ball(double radius, int half_nodes) {
  const std::int64_t n = 2 * half_nodes + 1;
  const double step = 0.002, start = -half_nodes * step;
  std::vector<double> values;
  for (std::int64_t z = 0; z < n; ++z) {
    for (std::int64_t y = 0; y < n; ++y) {
      for (std::int64_t x = 0; x < n; ++x) {
        values.push_back(std::hypot(start + x * step, start + y * step, start + z * step) - radius);
      }
    }
  }
  return eval::DistanceGrid({n, n, n}, {start, start, start}, step, std::move(values));
}

std::vector<double> grasp_row(double score, double x, double turn_deg) {
  const double c = std::cos(turn_deg * std::numbers::pi / 180),
               s = std::sin(turn_deg * std::numbers::pi / 180);
  return {score, 0.05, 0.02, 0.02, c, -s, 0, s, c, 0, 0, 0, 1, x, 0, 0.5, -1};
}

std::vector<double> joined(const std::vector<std::vector<double>>& rows) {
  std::vector<double> all;
  for (const auto& row : rows) all.insert(all.end(), row.begin(), row.end());
  return all;
}

}  // namespace

#ifdef __GLIBCXX__
TEST_CASE("equal scores in the order of the standard library's sort") {
  std::mt19937 random(3);
  for (const std::size_t count : {0, 1, 2, 16, 17, 33, 100, 600, 5000}) {
    for (const int levels : {1, 2, 5, 1000}) {
      CAPTURE(count, levels);
      std::vector<double> scores(count);
      for (double& score : scores) score = static_cast<double>(random() % levels);
      std::vector<std::pair<std::int64_t, double>> pairs;
      for (std::size_t i = 0; i < count; ++i) {
        pairs.emplace_back(static_cast<std::int64_t>(i), scores[i]);
      }
      std::sort(pairs.begin(), pairs.end(),
                [](const auto& a, const auto& b) { return a.second > b.second; });
      std::vector<std::int64_t> wanted;
      for (const auto& [index, score] : pairs) wanted.push_back(index);
      CHECK(eval::introsort_descending(scores) == wanted);
    }
  }
}
#endif

TEST_CASE("the ascending order is an order, and stable up to 16") {
  std::mt19937 random(5);
  for (const std::size_t count : {0, 1, 15, 16, 17, 64, 1000}) {
    CAPTURE(count);
    std::vector<double> keys(count);
    for (double& key : keys) key = static_cast<double>(random() % 7);
    const std::vector<std::int64_t> order = eval::quicksort_ascending(keys);
    std::vector<std::int64_t> sorted = order;
    std::ranges::sort(sorted);
    for (std::size_t i = 0; i < count; ++i) CHECK(sorted[i] == static_cast<std::int64_t>(i));
    for (std::size_t i = 1; i < count; ++i) {
      CHECK(keys[order[i - 1]] <= keys[order[i]]);
      if (count <= 16 && keys[order[i - 1]] == keys[order[i]]) CHECK(order[i - 1] < order[i]);
    }
  }
}

TEST_CASE("suppression: near and turned alike, both strict, in order of score") {
  // A chain of 2 cm steps: the first removes the second, which then removes nothing.
  CHECK(eval::suppressed_order(joined({grasp_row(0.9, 0, 0), grasp_row(0.8, 0.02, 0),
                                       grasp_row(0.7, 0.04, 0), grasp_row(0.6, 0.06, 0)})) ==
        std::vector<std::int64_t>{0, 2});
  // Turned by more than 30 degrees: both stay. The better one is first, wherever it stands.
  CHECK(eval::suppressed_order(joined({grasp_row(0.1, 0, 0), grasp_row(0.9, 0, 31)})) ==
        std::vector<std::int64_t>{1, 0});
  CHECK(eval::suppressed_order(joined({grasp_row(0.1, 0, 0), grasp_row(0.9, 0, 29)})) ==
        std::vector<std::int64_t>{1});
  CHECK(eval::suppressed_order({}).empty());
}

TEST_CASE("clearance of an open gripper") {
  // The identity approaches along x and closes along y.
  const eval::GripperPose gripper{
      .rotation = geometry::kIdentity3, .translation = {0, 0, 0}, .width = 0.04, .depth = 0.02};
  const auto with = [&](const std::vector<Vec3>& points) {
    eval::PointSet set;
    for (const Vec3& point : points) set.push_back(point);
    return eval::gripper_clearance(set, gripper);
  };
  const std::vector<Vec3> between(10, Vec3{0, 0, 0});
  CHECK_FALSE(with(between).collision);
  CHECK_FALSE(with(between).empty);
  CHECK(with({between.begin(), between.begin() + 9}).empty);
  CHECK(with({}).empty);
  CHECK(with({{0, 0.025, 0}}).collision);            // a finger
  CHECK(with({{0, -0.025, 0}}).collision);           // the other
  CHECK(with({{-0.025, 0, 0}}).collision);           // the palm
  CHECK_FALSE(with({{0, 0.0301, 0}}).collision);     // beside the finger
  CHECK_FALSE(with({{0, 0.025, 0.01}}).collision);   // above: the border is outside
  CHECK_FALSE(with({{0.02, 0.025, 0}}).collision);   // before the tip
  CHECK_FALSE(with({{-0.03, 0, 0}}).collision);      // behind the palm
  CHECK_FALSE(with({{-0.02, 0.025, 0}}).collision);  // between finger and palm
}

TEST_CASE("a ball is held through its centre, and slips beside it") {
  // Not along the grid's axes: there distances are linear from node to node, and by the rules a
  // parabola without curvature is no contact.
  const eval::DistanceGrid grid = ball(0.02, 16);
  const auto closure = [&](double off) {
    return eval::force_closure(
        grid,
        {.centre = {-0.6 * off, 0.8 * off, 0.0007}, .direction = {0.8, 0.6, 0}, .width = 0.06});
  };
  const eval::ForceClosure through = closure(0);
  REQUIRE(through.contacts.has_value());
  for (const std::size_t i : {0, 1}) {
    const double sign = i == 0 ? -1 : 1;
    const eval::Contact& contact = (*through.contacts)[i];
    CHECK(contact.point[0] == Approx(sign * 0.016).margin(2e-4));
    CHECK(contact.point[1] == Approx(sign * 0.012).margin(2e-4));
    CHECK(contact.normal[0] == Approx(sign * 0.8).margin(0.05));
    CHECK(contact.normal[1] == Approx(sign * 0.6).margin(0.05));
  }
  CHECK(through.score == 0.2);
  // Off the centre by d the angle at both contacts is asin(d / radius).
  for (const double off : {0.006, 0.01, 0.013, 0.0145}) {
    CAPTURE(off);
    const eval::ForceClosure beside = closure(off);
    REQUIRE(beside.contacts.has_value());
    const double angle = std::asin(off / 0.02);
    CHECK(beside.angles_rad[0] == Approx(angle).margin(0.08));
    CHECK(beside.score >= std::tan(angle - 0.08));
    CHECK(beside.score <= std::tan(angle + 0.08) + 0.2);
  }
  const eval::ForceClosure missed = closure(0.025);
  CHECK_FALSE(missed.contacts.has_value());
  CHECK(missed.score == eval::kNotHeld);
}

TEST_CASE("outside of the grid the nearest surface node counts") {
  const eval::DistanceGrid grid = ball(0.02, 16);
  const Vec3 outside = grid.to_grid({0.1, 0, 0});
  CHECK(grid.value(outside) == Approx(0.08).margin(1e-6));
  CHECK_FALSE(grid.surface_value(outside).has_value());
  CHECK(grid.value(grid.to_grid({0.021, 0, 0})) == Approx(0.001).margin(1e-5));
}

TEST_CASE("the direction of least spread") {
  const std::vector<Vec3> plane = {{1, 0, 0.5}, {0, 1, -0.25}, {-1, -1, -0.25}, {2, 1, 0.75}};
  const Vec3 normal = eval::third_left_singular_vector(plane);  // z = x / 2 - y / 4
  const double length = std::sqrt(0.25 + 0.0625 + 1);
  CHECK(std::abs(normal[2]) == Approx(1 / length));
  CHECK(normal[0] / normal[2] == Approx(-0.5));
  CHECK(normal[1] / normal[2] == Approx(0.25));
}

TEST_CASE("thinned clouds and the table under an object") {
  const std::vector<double> vertices = {0, 0, 0, 0.001, 0, 0, 0.02, 0, 0};
  const eval::PointSet means = eval::voxel_means(vertices);
  REQUIRE(means.size() == 2);
  CHECK(means.x[0] == Approx(0.0005));
  CHECK(means.x[1] == Approx(0.02));

  // Table and camera share a frame; brute force over all points of the table.
  const eval::Matrix4d same = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  eval::PointSet object;
  object.push_back({0.1, 0.203, 0.012});
  const eval::PointSet* objects[] = {&object};
  const eval::Matrix4f pose = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const eval::SceneCloud scene = eval::make_scene_cloud(objects, {&pose, 1}, same);
  std::size_t wanted = 1;
  for (int x = 0; x < 125; ++x) {
    for (int y = 0; y < 125; ++y) {
      for (int z = 0; z < 6; ++z) {
        const double px = x / 124.0 - 0.5, py = y / 124.0 - 0.5, pz = z * 0.01 - 0.05;
        if (std::abs(px - 0.1) < 0.05 && std::abs(py - 0.203) < 0.05 &&
            std::abs(pz - 0.012) < 0.05) {
          ++wanted;
        }
      }
    }
  }
  CHECK(wanted > 500);
  CHECK(eval::surroundings(scene, 0).size() == wanted);
}

TEST_CASE("the nearest object is that of brute force") {
  std::mt19937 random(11);
  std::uniform_real_distribution<double> place(-0.1, 0.1);
  eval::SceneCloud scene;
  std::vector<eval::PointSet> clouds(5);
  std::vector<const eval::PointSet*> models;
  for (eval::PointSet& cloud : clouds) {
    for (int i = 0; i < 150; ++i) cloud.push_back({place(random), place(random), place(random)});
    models.push_back(&cloud);
  }
  const eval::Matrix4f pose = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  const std::vector<eval::Matrix4f> poses(5, pose);
  const eval::Matrix4d table = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1};
  scene = eval::make_scene_cloud(models, poses, table);
  for (int i = 0; i < 300; ++i) {
    const Vec3 query = {place(random) * 2, place(random) * 2, place(random) * 2};
    double least = 1e9;
    std::size_t owner = 0;
    for (std::size_t p = 0; p < scene.points.size(); ++p) {
      const Vec3 at = scene.points.at(p);
      const double far = std::hypot(at[0] - query[0], at[1] - query[1], at[2] - query[2]);
      if (far < least) {
        least = far;
        owner = p / 150;
      }
    }
    CHECK(eval::nearest_object(scene, query) == owner);
  }
}

TEST_CASE("average precision over scenes, cameras and splits") {
  const auto scene = [](int number, const char* camera, double share) {
    eval::SceneAccuracy accuracy{number, "", camera, {}};
    eval::AccuracyTable table;
    for (auto& row : table) row.fill(share);
    accuracy.sums.add(table);
    accuracy.sums.add(table);
    return accuracy;
  };
  const std::vector<eval::SceneAccuracy> scenes = {
      scene(100, "kinect", 0.5), scene(129, "kinect", 0.25), scene(160, "kinect", 1),
      scene(100, "realsense", 0)};
  CHECK(eval::grasp_precision(scenes, "kinect", "seen")->ap == Approx(0.375));
  CHECK(eval::grasp_precision(scenes, "kinect", "all")->ap_04 == Approx(1.75 / 3));
  CHECK_FALSE(eval::grasp_precision(scenes, "kinect", "similar").has_value());
  CHECK(eval::grasp_precision(scenes, "realsense", "test")->ap == 0);
}

TEST_CASE("work on several threads: every item once, the first error wins") {
  std::vector<int> seen(500, 0);
  eval::for_each_item(seen.size(), 4, [&](std::size_t i) { ++seen[i]; });
  CHECK(std::ranges::count(seen, 1) == 500);
  CHECK_THROWS_AS(eval::for_each_item(100, 3,
                                      [](std::size_t i) {
                                        if (i >= 7) throw eval::EvaluationError("x");
                                      }),
                  eval::EvaluationError);
}

TEST_CASE("threads that stay: list after list, also after an error") {
  eval::Workers workers(4);
  std::vector<int> seen(64, 0);
  for (std::size_t count = 0; count < 200; ++count) {
    const std::size_t items = count % seen.size();
    workers.for_each(items, [&](std::size_t i) { ++seen[i]; });
  }
  for (std::size_t i = 0; i + 1 < seen.size(); ++i) {
    int wanted = 0;
    for (std::size_t count = 0; count < 200; ++count) wanted += i < count % seen.size() ? 1 : 0;
    CHECK(seen[i] == wanted);
  }
  for (int round = 0; round < 20; ++round) {
    try {
      workers.for_each(50, [](std::size_t i) {
        if (i == 3 || i == 4) throw eval::EvaluationError(std::to_string(i));
      });
      FAIL("nothing was thrown");
    } catch (const eval::EvaluationError& error) {
      CHECK(std::string(error.what()) == "3");
    }
  }
  int after = 0;
  workers.for_each(1, [&](std::size_t) { ++after; });
  CHECK(after == 1);
}

TEST_CASE("threads that cannot be made are done without") {
  for (const int made_at_most : {0, 2}) {
    CAPTURE(made_at_most);
    int made = 0;
    eval::Workers workers(6, [&](std::function<void()> body) {
      if (made == made_at_most) {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
      }
      ++made;
      return eval::Workers::start_thread(std::move(body));
    });
    CHECK(made == made_at_most);
    std::vector<int> seen(100, 0);
    for (int round = 0; round < 3; ++round) {
      workers.for_each(seen.size(), [&](std::size_t i) { ++seen[i]; });
    }
    CHECK(std::ranges::count(seen, 3) == 100);
  }
}

}  // namespace grasppanda::tests
