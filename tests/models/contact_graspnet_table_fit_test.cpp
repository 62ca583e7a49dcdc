#include "models/contact_graspnet/table_fit.h"

#include <cmath>
#include <numbers>

#include "models/checkpoint_error.h"
#include "models/contact_graspnet/network_frame.h"
#include "tests/catch.h"
#include "tests/models/goldens.h"
#include "tests/models/recorded_frame.h"

namespace grasppanda::models::contact_graspnet {
namespace {

using geometry::Vec3;

double degrees_between(const Vec3& a, const Vec3& b) {
  const double length = std::hypot(a[0], a[1], a[2]), other = std::hypot(b[0], b[1], b[2]);
  double cosine = 0;
  for (std::size_t i = 0; i < 3; ++i) cosine += a[i] / length * (b[i] / other);
  return std::acos(std::min(1.0, cosine)) / std::numbers::pi * 180;
}

/// Points of the plane through `centre` with normal `n`, spread over a square metre, `noise` off
/// it.
at::Tensor plane_points(std::int64_t count, const Vec3& n, const Vec3& centre, double noise) {
  const at::Tensor rotation = rotation_from_up(n);
  at::Tensor local = at::rand({count, 3}, at::kDouble) - 0.5;
  local.select(1, 2).copy_(at::randn({count}, at::kDouble) * noise);
  return at::mm(local, rotation) + at::tensor({centre[0], centre[1], centre[2]}, at::kDouble);
}

TEST_CASE("table fit: a tilted noisy table under clutter, normal towards the camera") {
  at::manual_seed(11);
  const Vec3 up = {0.1, -0.5, -0.86};      // camera looks down onto it
  for (const double flip : {1.0, -1.0}) {  // the sign of the plane's own normal must not matter
    const Vec3 n = {flip * up[0], flip * up[1], flip * up[2]};
    const at::Tensor cloud = at::cat(
        {plane_points(3000, n, {0, 0, 0.8}, 0.001),
         at::rand({4000, 3}, at::kDouble) - 0.5 + at::tensor({0.0, 0.0, 0.5}, at::kDouble)});
    NumpyRandom random(1);
    const auto table = fit_table(cloud, random);
    REQUIRE(table.has_value());
    CHECK(degrees_between(table->normal, up) < 0.3);
    CHECK(table->offset > 0);  // the camera is above the table
    CHECK(table->offset == Approx(0.86 * 0.8).margin(0.02));
    CHECK(table->inlier_share == Approx(3.0 / 7).margin(0.03));
    // Deterministic.
    NumpyRandom again(1);
    CHECK(fit_table(cloud, again)->normal == table->normal);
  }
}

TEST_CASE("table fit: no plane is an error that says what to set, never the camera frame") {
  at::manual_seed(12);
  NumpyRandom random(1);
  const at::Tensor blob = at::rand({5000, 3}, at::kDouble);
  CHECK_THROWS_AS(fit_table(blob, random), InputError);
  try {
    fit_table(blob, random);
  } catch (const InputError& error) {
    const std::string text = error.what();
    CHECK(text.starts_with("no table plane found"));
    CHECK(text.ends_with("set model.up"));
  }
  // All points on one line: no triple spans a plane.
  const at::Tensor t = at::rand({100, 1}, at::kDouble);
  CHECK_THROWS_AS(fit_table(at::cat({t, t, t}, 1), random), InputError);
}

TEST_CASE("table fit: fewer than three distinct points give none") {
  NumpyRandom random(1);
  CHECK_FALSE(fit_table(at::empty({0, 3}, at::kDouble), random));
  CHECK_FALSE(fit_table(at::ones({1000, 3}, at::kDouble), random));
  CHECK_FALSE(
      fit_table(at::cat({at::ones({10, 3}, at::kDouble), at::zeros({9, 3}, at::kDouble)}), random));
  const at::Tensor triangle =
      at::tensor({0.0, 0.0, 1.0, 0.1, 0.0, 1.0, 0.0, 0.1, 1.0}, at::kDouble).view({3, 3});
  const auto table = fit_table(triangle, random);
  REQUIRE(table.has_value());
  CHECK(degrees_between(table->normal, {0, 0, -1}) < 1e-6);
  CHECK(table->offset == Approx(1.0));
}

TEST_CASE("table fit: the recorded frame") {
  GP_NEED_DATA(folder, "data/frames/graspnet_example");
  const at::Tensor cloud = tests::recorded_cloud(folder);
  REQUIRE(cloud.size(0) == 513688);
  for (const std::uint64_t seed : {0, 1, 2}) {
    NumpyRandom random = second_generator(seed);
    const auto table = fit_table(cloud, random);
    REQUIRE(table.has_value());
    CHECK(degrees_between(table->normal, {0.01465, 0.28996, -0.95693}) < 1);
    CHECK(table->offset == Approx(0.4634).margin(0.005));
    CHECK(table->inlier_share == Approx(0.53).margin(0.03));
  }
}

}  // namespace
}  // namespace grasppanda::models::contact_graspnet
