#include "models/contact_graspnet/decode.h"

#include <cmath>

#include "tests/catch.h"
#include "tests/models/goldens.h"

namespace grasppanda::models::contact_graspnet {
namespace {

/// One centre and what the heads say about it.
struct Case {
  std::array<float, 3> centre, baseline, approach;
  float width, logit;
};

Decoded decode_one(const Case& c, double gripper_width = 0.08) {
  const auto row = [](const std::array<float, 3>& v) {
    return at::tensor({v[0], v[1], v[2]}).view({1, 3});
  };
  const auto one = [](float value) { return at::full({1, 1}, value, at::kFloat); };
  return decode(row(c.centre), {one(c.logit), row(c.baseline), row(c.approach), one(c.width)},
                gripper_width);
}

void check_values(const at::Tensor& got, const std::vector<float>& want) {
  const at::Tensor flat = got.flatten();
  REQUIRE(flat.numel() == static_cast<std::int64_t>(want.size()));
  for (std::size_t i = 0; i < want.size(); ++i) {
    CAPTURE(i);
    CHECK(flat[static_cast<std::int64_t>(i)].item<float>() == Approx(want[i]).margin(1e-6));
  }
}

TEST_CASE("Contact-GraspNet decode: a grasp from above, computed by hand") {
  // Baseline along x, approach downwards with a part along the baseline that must go.
  const Decoded decoded = decode_one({{0.1F, 0.2F, 0.3F}, {5, 0, 0}, {7, 0, -2}, 0.03F, 0});
  CHECK(decoded.confidence.item<float>() == 0.5F);
  CHECK(decoded.width.item<float>() == 0.03F);
  // Columns b, a x b, a, and p - 0.1034 a + w/2 b.
  check_values(decoded.poses, {1, 0, 0, 0.115F,           //
                               0, -1, 0, 0.2F,            //
                               0, 0, -1, 0.3F + 0.1034F,  //
                               0, 0, 0, 1});
  const at::Tensor row = grasp_rows(decoded, Opening::predicted);
  // Columns approach, baseline, approach x baseline; origin 0.025 behind the contact line.
  check_values(row, {0.5F, 0.03F, 0.02F, 0.025F,   //
                     0, 1, 0, 0, 0, -1, -1, 0, 0,  //
                     0.115F, 0.2F, 0.325F, -1});
  CHECK(grasp_rows(decoded, Opening::full)[0][1].item<float>() == 0.08F);
}

TEST_CASE("Contact-GraspNet decode: widths are clamped, negative ones move the other way") {
  const auto width_of = [](float width, double gripper_width) {
    return decode_one({{0, 0, 0}, {1, 0, 0}, {0, 0, -1}, width, 0}, gripper_width);
  };
  CHECK(width_of(0.5F, 0.08).width.item<float>() == 0.04F);
  CHECK(width_of(0.5F, 0.16).width.item<float>() == 0.08F);
  const Decoded reversed = width_of(-0.03F, 0.08);
  CHECK(reversed.width.item<float>() == 0);
  CHECK(reversed.signed_width.item<float>() == -0.03F);
  CHECK(reversed.poses[0][0][3].item<float>() == Approx(-0.015F));
  CHECK(grasp_rows(reversed, Opening::predicted)[0][1].item<float>() == 0);
  CHECK(grasp_rows(reversed, Opening::magnitude)[0][1].item<float>() == 0.03F);
  const Decoded widest = width_of(-0.5F, 0.16);
  CHECK(widest.signed_width.item<float>() == -0.16F);
  CHECK(grasp_rows(widest, Opening::magnitude)[0][1].item<float>() == 0.08F);
}

TEST_CASE("Contact-GraspNet decode: a zero or parallel vector gives NaN, not a made-up pose") {
  const Decoded zero = decode_one({{0, 0, 0}, {0, 0, 0}, {0, 0, -1}, 0.01F, 0});
  CHECK(std::isnan(zero.poses[0][0][0].item<float>()));
  const Decoded parallel = decode_one({{0, 0, 0}, {0, 0, 1}, {0, 0, -1}, 0.01F, 0});
  CHECK(std::isnan(parallel.poses[0][2][2].item<float>()));
  CHECK(decode_one({{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, 0.01F, -264}).confidence.item<float>() == 0);
  CHECK(decode_one({{0, 0, 0}, {1, 0, 0}, {0, 0, 1}, 0.01F, 96}).confidence.item<float>() == 1);
}

TEST_CASE("Contact-GraspNet decode: rotations are rotations, tips coincide with the hand's") {
  at::manual_seed(9);
  const std::int64_t count = 500;
  const Decoded decoded = decode(at::randn({count, 3}),
                                 {at::randn({count, 1}), at::randn({count, 3}),
                                  at::randn({count, 3}), at::randn({count, 1}) / 20},
                                 0.08);
  const at::Tensor rows = grasp_rows(decoded, Opening::predicted).to(at::kDouble);
  const at::Tensor rotation = rows.narrow(1, 4, 9).reshape({count, 3, 3});
  const at::Tensor gram = at::matmul(rotation.transpose(1, 2), rotation);
  CHECK((gram - at::eye(3, at::kDouble)).abs().max().item<double>() < 1e-6);
  CHECK((at::linalg_det(rotation) - 1).abs().max().item<double>() < 1e-6);
  // Finger tip of the 17 columns (depth along x, w/2 along y) and of the hand (0.1034 along z, w/2
  // along x).
  const at::Tensor pose = decoded.poses.to(at::kDouble);
  const at::Tensor half = decoded.width.to(at::kDouble).unsqueeze(1) / 2;
  const at::Tensor of_row =
      rows.narrow(1, 13, 3) + 0.025 * rotation.select(2, 0) + half * rotation.select(2, 1);
  const at::Tensor of_hand = pose.narrow(1, 0, 3).select(2, 3) +
                             0.1034 * pose.narrow(1, 0, 3).select(2, 2) +
                             half * pose.narrow(1, 0, 3).select(2, 0);
  CHECK((of_row - of_hand).abs().max().item<double>() < 1e-6);
}

}  // namespace
}  // namespace grasppanda::models::contact_graspnet
