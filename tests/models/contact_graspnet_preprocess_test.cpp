#include "models/contact_graspnet/preprocess.h"

#include <cmath>
#include <numbers>
#include <stdexcept>

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

TEST_CASE("rotation from up: rows x', y', up; the camera's x axis stays as near as it can") {
  const at::Tensor upright = rotation_from_up({0, 0, 2});
  CHECK(upright.equal(at::eye(3, at::kDouble)));
  for (const Vec3& up : {Vec3{0.1, -0.5, -0.86}, Vec3{1, 0, 0}, Vec3{-3, 0, 0}, Vec3{0, 1, 0},
                         Vec3{1e-200, 1e-200, -1e-200}, Vec3{0, 1e200, 1e200}}) {
    const at::Tensor rotation = rotation_from_up(up);
    const at::Tensor gram = at::mm(rotation, rotation.t());
    CHECK((gram - at::eye(3, at::kDouble)).abs().max().item<double>() < 1e-12);
    CHECK(at::linalg_det(rotation).item<double>() == Approx(1.0));
    const double* z = rotation.const_data_ptr<double>() + 6;
    CHECK(degrees_between({z[0], z[1], z[2]}, up) < 1e-5);
    CHECK(rotation[0][0].item<double>() >= 0);
  }
  CHECK_THROWS_AS(rotation_from_up({0, 0, 0}), std::invalid_argument);
}

TEST_CASE("network frame: turned, centred, and back again") {
  at::manual_seed(13);
  NetworkFrame frame{rotation_from_up({0.1, -0.5, -0.86}), {}};
  const at::Tensor cloud = at::rand({100, 3}, at::kDouble);
  const at::Tensor points = to_network_frame(cloud, frame);
  CHECK(points.scalar_type() == at::kFloat);
  CHECK(points.mean(0).abs().max().item<double>() < 1e-6);
  // A grasp that sits on a network point comes back to the cloud point, its rotation turned.
  at::Tensor rows = at::zeros({100, 17}, at::kFloat);
  rows.narrow(1, 13, 3).copy_(points);
  rows.narrow(1, 4, 9).copy_(at::eye(3, at::kFloat).reshape({1, 9}).expand({100, 9}));
  const at::Tensor back = to_camera_frame(rows, frame);
  CHECK((back.narrow(1, 13, 3) - cloud).abs().max().item<double>() < 1e-6);
  CHECK((back[0].narrow(0, 4, 9).view({3, 3}).to(at::kDouble) - frame.rotation.t())
            .abs()
            .max()
            .item<double>() < 1e-6);
}

TEST_CASE("network frame: the golden's points and camera-frame grasps from its own frame") {
  GP_NEED_DATA(folder, "goldens/contact_graspnet/frame_table_up");
  GP_NEED_DATA(frame_folder, "data/frames/graspnet_example");
  const tests::Goldens golden(folder);
  NetworkFrame frame{golden("table_from_camera_rotation"), {}};
  const at::Tensor cloud = tests::recorded_cloud(frame_folder);
  const at::Tensor sampled = cloud.index_select(0, golden.integers("sample_idx"));
  const at::Tensor points = to_network_frame(sampled, frame);
  // The mean is a sum of 20 000 doubles whose order is nobody's business.
  CHECK(tests::absolute_deviation(points, golden("points")).largest < 1e-7);
  CHECK(tests::absolute_deviation(frame.mean, golden("cloud_mean")).largest < 1e-12);
  const at::Tensor camera = to_camera_frame(golden("grasps17"), frame);
  CHECK(tests::absolute_deviation(camera, golden("grasps17_camera")).largest < 1e-6);
}

TEST_CASE("sampling: all points shuffled when there are few, the seed's draw when there are many") {
  NumpyRandom random(4);
  CHECK(sample_points(100, 20000, 4) == sample_without_replacement(random, 100, 100));
  CHECK(sample_points(100, 30, 4).size() == 30);
  CHECK(sample_points(100, 30, 4) != sample_points(100, 30, 5));
  CHECK(sample_points(0, 30, 4).empty());
}

}  // namespace
}  // namespace grasppanda::models::contact_graspnet
