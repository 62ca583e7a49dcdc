#include "lib/ops/rotated/kfiou_loss.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/argument_check.h"
#include "lib/ops/rotated/box_loss.h"

namespace grasppanda::ops {
namespace {

constexpr double kLeastDeterminant = 1e-6, kJitter = 1e-6;

// Covariances of half sides, (N, 2, 2).
at::Tensor covariance(const at::Tensor& boxes) {
  const at::Tensor half = boxes.narrow(1, 2, 2).clamp(1e-7, 1e7).mul(0.5);
  const at::Tensor cosine = boxes.select(1, 4).cos(), sine = boxes.select(1, 4).sin();
  const at::Tensor turn = at::stack({cosine, sine.neg(), sine, cosine}, 1).view({-1, 2, 2});
  return turn.matmul(at::diag_embed(half.square())).matmul(turn.transpose(1, 2));
}

at::Tensor determinant(const at::Tensor& matrix) {
  const auto entry = [&](int64_t i, int64_t j) { return matrix.select(1, i).select(1, j); };
  return entry(0, 0).mul(entry(1, 1)).sub(entry(0, 1).mul(entry(1, 0)));
}

at::Tensor volume(const at::Tensor& covariances) {
  return determinant(covariances).clamp_min(kLeastDeterminant).sqrt().mul(4);
}

}  // namespace

KfiouFunction parse_kfiou_function(std::string_view name) {
  if (name == "none") return KfiouFunction::none;
  if (name == "ln") return KfiouFunction::ln;
  if (name == "exp") return KfiouFunction::exp;
  refuse_argument("kfiou_loss", "fun", "is '" + std::string(name) + "'", "none, ln or exp");
}

at::Tensor kfiou_overlap(const at::Tensor& pred, const at::Tensor& target) {
  require_box_pairs("kfiou_loss", pred, target);
  const at::Tensor p = covariance(pred), t = covariance(target);
  const at::Tensor sum = p.add(t).add(at::eye(2, p.options()).mul(kJitter));
  const at::Tensor fused = p.sub(p.matmul(at::linalg_pinv(sum)).matmul(p));
  const at::Tensor squared = determinant(fused).clamp_min(0);
  // The root of 0 has no gradient: there the volume is 0 and stays so.
  const at::Tensor positive = squared.gt(0);
  const at::Tensor safe = at::where(positive, squared, at::ones_like(squared));
  const at::Tensor shared =
      safe.sqrt().mul(4).mul(positive.to(p.scalar_type())).nan_to_num(0, 0, 0);
  const at::Tensor whole = volume(p).add(volume(t)).sub(shared).add(1e-6).clamp_min(1e-6);
  return shared.div(whole).clamp(0, 1);
}

at::Tensor kfiou_loss(const at::Tensor& pred, const at::Tensor& target, KfiouFunction function) {
  const at::Tensor k = kfiou_overlap(pred, target);
  at::Tensor overlap;
  switch (function) {
    case KfiouFunction::none:
      overlap = k.neg().add(1);
      break;
    case KfiouFunction::ln:
      overlap = k.add(1e-6).log().neg();
      break;
    case KfiouFunction::exp:
      overlap = k.neg().add(1).exp().sub(1);
      break;
  }
  const at::Tensor centres =
      at::smooth_l1_loss(pred.narrow(1, 0, 2), target.narrow(1, 0, 2), at::Reduction::None, 1.0 / 9)
          .sum(1);
  return centres.add(overlap).clamp_min(0);
}

}  // namespace grasppanda::ops
