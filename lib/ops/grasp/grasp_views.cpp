#include "lib/ops/grasp/grasp_views.h"

#include <ATen/ATen.h>

#include <cmath>
#include <numbers>
#include <string>

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "grasp_views";

void require_float32(std::string_view argument, const at::Tensor& tensor) {
  if (tensor.scalar_type() != at::kFloat)
    refuse_argument(kOp, argument, "is " + std::string(c10::toString(tensor.scalar_type())),
                    "float32");
}

}  // namespace

at::Tensor template_views(int64_t count) {
  if (count < 1) refuse_argument(kOp, "num_views", "is " + std::to_string(count), ">= 1");
  const double phi = (std::sqrt(5.0) - 1) / 2;
  at::Tensor views = at::empty({count, 3}, at::kFloat);
  float* out = views.data_ptr<float>();
  for (int64_t i = 0; i < count; ++i) {
    const double z = static_cast<double>(2 * i + 1) / static_cast<double>(count) - 1;
    const double ring = std::sqrt(1 - z * z);
    const double turn = static_cast<double>(2 * i) * std::numbers::pi * phi;
    *out++ = static_cast<float>(ring * std::cos(turn));
    *out++ = static_cast<float>(ring * std::sin(turn));
    *out++ = static_cast<float>(z);
  }
  return views;
}

at::Tensor in_plane_angles(int64_t count) {
  if (count < 1) refuse_argument(kOp, "angles", "are " + std::to_string(count), ">= 1");
  // In float32 throughout, each step rounded: the published angles carry these last bits.
  const auto pi = static_cast<float>(std::numbers::pi);
  at::Tensor angles = at::empty({count}, at::kFloat);
  for (int64_t i = 0; i < count; ++i)
    angles.data_ptr<float>()[i] = static_cast<float>(i) * pi / static_cast<float>(count);
  return angles;
}

at::Tensor rotation_from_approach(const at::Tensor& approach, const at::Tensor& angle) {
  if (approach.dim() != 2 || approach.size(1) != 3)
    refuse_argument(kOp, "approach", "has shape " + shape_text(approach), "(n, 3)");
  if (angle.dim() != 1 || angle.size(0) != approach.size(0))
    refuse_argument(kOp, "angle", "has shape " + shape_text(angle),
                    "(n,) with n = " + std::to_string(approach.size(0)));
  require_float32("approach", approach);
  require_float32("angle", angle);
  const at::Tensor towards = approach.to(at::kCPU), turn = angle.to(at::kCPU);
  const at::Tensor zero = at::zeros_like(turn), one = at::ones_like(turn);

  at::Tensor closing = at::stack({towards.select(1, 1).neg(), towards.select(1, 0), zero}, 1);
  const at::Tensor vertical = closing.norm(2, 1).eq(0);
  closing.select(1, 1).masked_fill_(vertical, 1);
  const at::Tensor x = towards.div(towards.norm(2, 1, /*keepdim=*/true));
  const at::Tensor y = closing.div(closing.norm(2, 1, /*keepdim=*/true));
  const at::Tensor z = at::cross(x, y, 1);

  const at::Tensor sine = turn.sin(), cosine = turn.cos();
  const at::Tensor in_plane =
      at::stack({one, zero, zero, zero, cosine, sine.neg(), zero, sine, cosine}, 1)
          .view({-1, 3, 3});
  return at::matmul(at::stack({x, y, z}, 2), in_plane).to(approach.device());
}

at::Tensor approach_rotations(const at::Tensor& approach, const at::Tensor& angles) {
  if (approach.dim() != 2 || angles.dim() != 1)
    refuse_argument(kOp, "approach", "has shape " + shape_text(approach),
                    "(n, 3) with angles (A,)");
  const int64_t vectors = approach.size(0), turns = angles.size(0);
  return rotation_from_approach(approach.repeat_interleave(turns, 0), angles.repeat({vectors}))
      .view({vectors, turns, 3, 3});
}

}  // namespace grasppanda::ops
