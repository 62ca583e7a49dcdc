#include "lib/ops/rotated/aspect_gated_angle_loss.h"

#include <ATen/ATen.h>

#include <numbers>

#include "lib/ops/rotated/box_loss.h"

namespace grasppanda::ops {

at::Tensor aspect_gated_angle_loss(const at::Tensor& pred, const at::Tensor& target,
                                   double lambda) {
  require_box_pairs("aspect_gated_angle_loss", pred, target);
  constexpr double kHalfPi = std::numbers::pi / 2;
  const at::Tensor turn = pred.select(1, 4).sub(target.select(1, 4));
  const at::Tensor wrapped = turn.add(kHalfPi).remainder(std::numbers::pi).sub(kHalfPi);
  const at::Tensor aspect =
      target.select(1, 2).clamp_min(1e-7).div(target.select(1, 3).clamp_min(1e-7));
  return aspect.log().square().neg().div(lambda * lambda).exp().mul(wrapped.mul(2).sin().square());
}

}  // namespace grasppanda::ops
