#include "lib/ops/rotated/probiou_loss.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/argument_check.h"
#include "lib/ops/rotated/box_loss.h"

namespace grasppanda::ops {
namespace {

constexpr double kEpsilon = 1e-3;

// Covariance [a c; c b] of a box filled evenly, (N,) each.
struct Gaussian {
  at::Tensor x, y, a, b, c;
  at::Tensor determinant() const { return a.mul(b).sub(c.mul(c)).clamp_min(kEpsilon); }
};

Gaussian gaussian_of(const at::Tensor& boxes) {
  const auto variance = [&](int64_t side) {
    return boxes.select(1, side).clamp_min(1e-7).square().div(12);
  };
  const at::Tensor along = variance(2), across = variance(3);
  const at::Tensor cosine = boxes.select(1, 4).cos(), sine = boxes.select(1, 4).sin();
  const at::Tensor cc = cosine.square(), ss = sine.square();
  return {boxes.select(1, 0), boxes.select(1, 1), along.mul(cc).add(across.mul(ss)),
          along.mul(ss).add(across.mul(cc)), along.sub(across).mul(cosine).mul(sine)};
}

}  // namespace

ProbiouMode parse_probiou_mode(std::string_view name) {
  if (name == "l1") return ProbiouMode::l1;
  if (name == "l2") return ProbiouMode::l2;
  refuse_argument("probiou_loss", "mode", "is '" + std::string(name) + "'", "l1 or l2");
}

at::Tensor probiou_loss(const at::Tensor& pred, const at::Tensor& target, ProbiouMode mode) {
  require_box_pairs("probiou_loss", pred, target);
  const Gaussian p = gaussian_of(pred), t = gaussian_of(target);
  const at::Tensor a = p.a.add(t.a), b = p.b.add(t.b), c = p.c.add(t.c);
  const at::Tensor dx = p.x.sub(t.x), dy = p.y.sub(t.y);
  const at::Tensor whole = a.mul(b).sub(c.mul(c)).add(kEpsilon);
  const at::Tensor t1 = a.mul(dy.square()).add(b.mul(dx.square())).mul(0.25).div(whole);
  const at::Tensor t2 = c.mul(dx.neg()).mul(dy).mul(0.5).div(whole);
  const at::Tensor parts = p.determinant().mul(t.determinant()).sqrt().mul(4).add(kEpsilon);
  const at::Tensor t3 = whole.div(parts).add(kEpsilon).log().mul(0.5);
  const at::Tensor distance = t1.add(t2).add(t3).clamp(kEpsilon, 100);
  // Two roundings each: far apart what is left of the 1 is rounding alone.
  const at::Tensor l1 = distance.neg().exp().neg().add(1).add(kEpsilon).sqrt();
  if (mode == ProbiouMode::l1) return l1;
  return l1.square().neg().add(1).add(kEpsilon).log().neg();
}

}  // namespace grasppanda::ops
