#include "lib/ops/rotated/convex_iou.h"

#include <ATen/ATen.h>

#include <tuple>

namespace grasppanda::ops {
namespace {

// x and y of four corners, (N, 4) each, in the order (+,+) (-,+) (-,-) (+,-).
struct Corners {
  at::Tensor x, y;
};

Corners corners_of(const at::Tensor& boxes) {
  const auto column = [&](int64_t k) { return boxes.select(1, k).unsqueeze(1); };
  const at::Tensor sign_x = at::tensor({1.0F, -1.0F, -1.0F, 1.0F}, boxes.options());
  const at::Tensor sign_y = at::tensor({1.0F, 1.0F, -1.0F, -1.0F}, boxes.options());
  const at::Tensor x = column(2).clamp_min(1e-8).mul(0.5).mul(sign_x);
  const at::Tensor y = column(3).clamp_min(1e-8).mul(0.5).mul(sign_y);
  const at::Tensor cosine = column(4).cos(), sine = column(4).sin();
  return {x.mul(cosine).sub(y.mul(sine)).add(column(0)),
          x.mul(sine).add(y.mul(cosine)).add(column(1))};
}

struct Candidates {
  at::Tensor x, y, valid;  // (N, points)
};

// The points where an edge of one crosses an edge of the other: (N, 16).
Candidates crossings(const Corners& a, const Corners& b) {
  const auto first = [](const at::Tensor& t) { return t.unsqueeze(2); };
  const auto second = [](const at::Tensor& t) { return t.unsqueeze(1); };
  const at::Tensor x1 = first(a.x), y1 = first(a.y);
  const at::Tensor x2 = first(a.x.roll({-1}, {1})), y2 = first(a.y.roll({-1}, {1}));
  const at::Tensor x3 = second(b.x), y3 = second(b.y);
  const at::Tensor x4 = second(b.x.roll({-1}, {1})), y4 = second(b.y.roll({-1}, {1}));
  const at::Tensor den = x1.sub(x2).mul(y3.sub(y4)).sub(y1.sub(y2).mul(x3.sub(x4)));
  const at::Tensor num_t = x1.sub(x3).mul(y3.sub(y4)).sub(y1.sub(y3).mul(x3.sub(x4)));
  const at::Tensor num_u = x1.sub(x2).mul(y1.sub(y3)).sub(y1.sub(y2).mul(x1.sub(x3))).neg();
  const at::Tensor parallel = den.eq(0);
  const at::Tensor safe = at::where(parallel, at::ones_like(den), den);
  const at::Tensor t = num_t.div(safe).masked_fill(parallel, -1);
  const at::Tensor u = num_u.div(safe).masked_fill(parallel, -1);
  const at::Tensor valid = t.gt(0).logical_and(t.lt(1)).logical_and(u.gt(0)).logical_and(u.lt(1));
  const at::Tensor place = num_t.div(den.add(1e-8));
  const at::Tensor mask = valid.to(den.scalar_type());
  return {x1.add(place.mul(x2.sub(x1))).mul(mask).flatten(1),
          y1.add(place.mul(y2.sub(y1))).mul(mask).flatten(1), valid.flatten(1)};
}

// Corners of a within b by the projections on two sides of b: (N, 4).
at::Tensor inside(const Corners& a, const Corners& b) {
  const auto corner = [&](int64_t k) {
    return std::pair(b.x.narrow(1, k, 1), b.y.narrow(1, k, 1));
  };
  const auto [ax, ay] = corner(0);
  const auto along = [&](int64_t k) {
    const auto [bx, by] = corner(k);
    const at::Tensor sx = bx.sub(ax), sy = by.sub(ay);
    const at::Tensor share =
        sx.mul(a.x.sub(ax)).add(sy.mul(a.y.sub(ay))).div(sx.mul(sx).add(sy.mul(sy)));
    return share.gt(-1e-6).logical_and(share.lt(1 + 1e-6));
  };
  return along(1).logical_and(along(3));
}

// Half of the sum of the cross products of neighbours, the first eight points around their mean;
// not relative to it, so that large coordinates cost digits, as they do in the package.
at::Tensor area_of(const at::Tensor& x, const at::Tensor& y, const at::Tensor& valid) {
  const at::Tensor count = valid.sum(1, true);
  const at::Tensor mask = valid.to(x.scalar_type());
  const at::Tensor divisor = count.clamp_min(1).to(x.scalar_type());
  const at::Tensor dx = x.sub(x.mul(mask).sum(1, true).div(divisor));
  const at::Tensor dy = y.sub(y.mul(mask).sum(1, true).div(divisor));
  const at::Tensor angle = at::atan2(dy, dx).detach().masked_fill(valid.logical_not(), 1e9);
  const at::Tensor order = std::get<1>(angle.sort(true, 1, false)).narrow(1, 0, 8);
  const at::Tensor place = at::arange(8, order.options()).unsqueeze(0);
  // Places behind the last valid point repeat the first: they add no area.
  const at::Tensor index = at::where(place.lt(count), order, order.narrow(1, 0, 1));
  const at::Tensor px = x.gather(1, index), py = y.gather(1, index);
  const at::Tensor nx = px.roll({-1}, {1}), ny = py.roll({-1}, {1});
  return px.mul(ny)
      .sub(py.mul(nx))
      .sum(1)
      .abs()
      .mul(0.5)
      .mul(count.squeeze(1).gt(2).to(x.scalar_type()));
}

}  // namespace

at::Tensor convex_iou(const at::Tensor& boxes1, const at::Tensor& boxes2) {
  const Corners a = corners_of(boxes1), b = corners_of(boxes2);
  const Candidates cross = crossings(a, b);
  const at::Tensor shared =
      area_of(at::cat({a.x, b.x, cross.x}, 1), at::cat({a.y, b.y, cross.y}, 1),
              at::cat({inside(a, b), inside(b, a), cross.valid}, 1));
  const auto area = [](const at::Tensor& boxes) {
    return boxes.select(1, 2).clamp_min(1e-8).mul(boxes.select(1, 3).clamp_min(1e-8));
  };
  const at::Tensor whole = area(boxes1).add(area(boxes2)).sub(shared).clamp_min(1e-6);
  return shared.div(whole).clamp(0, 1).nan_to_num(0, 0, 0);
}

}  // namespace grasppanda::ops
