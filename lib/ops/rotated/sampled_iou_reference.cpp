#include <ATen/ATen.h>

#include <algorithm>
#include <cstddef>

#include "lib/ops/rotated/perfect_square.h"
#include "lib/ops/rotated/sampled_iou.h"

namespace grasppanda::ops {
namespace {

// The fields of SampledBox, (N,) each.
struct Columns {
  at::Tensor all;  // (N, fields)
  at::Tensor operator[](std::size_t offset) const {
    return all.select(1, static_cast<int64_t>(offset / sizeof(float)));
  }
  at::Tensor corners(std::size_t offset) const {
    return all.narrow(1, static_cast<int64_t>(offset / sizeof(float)), 4);
  }
};

Columns columns_of(const at::Tensor& boxes) {
  const std::vector<SampledBox> made = sampled_boxes(boxes);
  constexpr int64_t kFields = sizeof(SampledBox) / sizeof(float);
  at::Tensor all = at::empty({boxes.size(0), kFields}, at::kFloat);
  if (!made.empty()) {
    const float* first = &made.front().x;
    std::copy(first, first + all.numel(), all.mutable_data_ptr<float>());
  }
  return {all.to(boxes.device())};
}

Columns rows(const Columns& columns, const at::Tensor& index) {
  return {columns.all.index_select(0, index)};
}

// x and y of the samples, (N, S) each: rows of the grid one after the other.
std::pair<at::Tensor, at::Tensor> points_of(const Columns& boxes, int64_t num_samples) {
  const int64_t g = whole_square_root(num_samples);
  at::Tensor grid = at::empty({g}, at::kFloat);
  for (int64_t i = 0; i < g; ++i) grid.mutable_data_ptr<float>()[i] = grid_value(i, g);
  grid = grid.to(boxes.all.device());
  const auto column = [&](std::size_t offset) { return boxes[offset].view({-1, 1, 1}); };
  const at::Tensor cosine = column(offsetof(SampledBox, cosine));
  const at::Tensor sine = column(offsetof(SampledBox, sine));
  const at::Tensor x = grid.view({1, 1, g}).mul(column(offsetof(SampledBox, w)));
  const at::Tensor y = grid.view({1, g, 1}).mul(column(offsetof(SampledBox, h)));
  const at::Tensor px = column(offsetof(SampledBox, x)).add(x.mul(cosine).sub(y.mul(sine)));
  const at::Tensor py = column(offsetof(SampledBox, y)).add(x.mul(sine).add(y.mul(cosine)));
  return {px.flatten(1), py.flatten(1)};
}

// How many points (..., S) lie in their box; box columns broadcast against (..., 1).
at::Tensor count_inside(const at::Tensor& px, const at::Tensor& py, const at::Tensor& corner_x,
                        const at::Tensor& corner_y) {
  at::Tensor left, right;
  for (int64_t k = 0; k < 4; ++k) {
    const int64_t next = (k + 1) % 4;
    const at::Tensor vx = corner_x.select(-1, k).unsqueeze(-1);
    const at::Tensor vy = corner_y.select(-1, k).unsqueeze(-1);
    const at::Tensor ex = corner_x.select(-1, next).unsqueeze(-1).sub(vx);
    const at::Tensor ey = corner_y.select(-1, next).unsqueeze(-1).sub(vy);
    const at::Tensor cross = ex.mul(py.sub(vy)).sub(ey.mul(px.sub(vx)));
    left = k == 0 ? cross.ge(0) : left.logical_and(cross.ge(0));
    right = k == 0 ? cross.le(0) : right.logical_and(cross.le(0));
  }
  return left.logical_or(right).sum(-1).to(at::kFloat);
}

at::Tensor ratio_of(const at::Tensor& area1, const at::Tensor& area2, const at::Tensor& count1,
                    const at::Tensor& count2, int64_t num_samples) {
  const auto samples = static_cast<float>(num_samples);
  at::Tensor shared = at::maximum(count1.div(samples).mul(area1), count2.div(samples).mul(area2));
  shared = at::minimum(shared, at::minimum(area1, area2));
  const at::Tensor whole = at::maximum(area1.add(area2).sub(shared), shared.add(1e-8F));
  return shared.div(whole.add(1e-8F)).clamp(0, 1).add(0);  // no negative zero
}

// Whether the bounds of `first` and `second`, given by offset in shapes that broadcast, meet.
template <class First, class Second>
at::Tensor meet(const First& first, const Second& second) {
  return first(offsetof(SampledBox, low_x))
      .le(second(offsetof(SampledBox, high_x)))
      .logical_and(second(offsetof(SampledBox, low_x)).le(first(offsetof(SampledBox, high_x))))
      .logical_and(first(offsetof(SampledBox, low_y)).le(second(offsetof(SampledBox, high_y))))
      .logical_and(second(offsetof(SampledBox, low_y)).le(first(offsetof(SampledBox, high_y))));
}

// Every box of one with every box of the other, (n, m).
at::Tensor dense(const Columns& a, const Columns& b, int64_t num_samples) {
  const auto [ax, ay] = points_of(a, num_samples);
  const auto [bx, by] = points_of(b, num_samples);
  const auto corners = [](const Columns& boxes, std::size_t offset, int64_t axis) {
    return boxes.corners(offset).unsqueeze(axis);
  };
  const at::Tensor count1 =
      count_inside(ax.unsqueeze(1), ay.unsqueeze(1), corners(b, offsetof(SampledBox, corner_x), 0),
                   corners(b, offsetof(SampledBox, corner_y), 0));
  const at::Tensor count2 =
      count_inside(bx.unsqueeze(0), by.unsqueeze(0), corners(a, offsetof(SampledBox, corner_x), 1),
                   corners(a, offsetof(SampledBox, corner_y), 1));
  const at::Tensor ratios =
      ratio_of(a[offsetof(SampledBox, area)].unsqueeze(1),
               b[offsetof(SampledBox, area)].unsqueeze(0), count1, count2, num_samples);
  const auto row = [&](std::size_t offset) { return a[offset].unsqueeze(1); };
  const auto column = [&](std::size_t offset) { return b[offset].unsqueeze(0); };
  return ratios.masked_fill(meet(row, column).logical_not(), 0);
}

// Pair by pair, (P,).
at::Tensor paired(const Columns& a, const Columns& b, int64_t num_samples) {
  const auto [ax, ay] = points_of(a, num_samples);
  const auto [bx, by] = points_of(b, num_samples);
  const at::Tensor count1 = count_inside(ax, ay, b.corners(offsetof(SampledBox, corner_x)),
                                         b.corners(offsetof(SampledBox, corner_y)));
  const at::Tensor count2 = count_inside(bx, by, a.corners(offsetof(SampledBox, corner_x)),
                                         a.corners(offsetof(SampledBox, corner_y)));
  return ratio_of(a[offsetof(SampledBox, area)], b[offsetof(SampledBox, area)], count1, count2,
                  num_samples);
}

constexpr int64_t kMostPoints = 1 << 22;  // point tests at once: 16 MiB a temporary

}  // namespace

at::Tensor sampled_pairs_reference(const at::Tensor& boxes, const at::Tensor& first,
                                   const at::Tensor& second, int64_t num_samples) {
  const Columns columns = columns_of(boxes);
  const int64_t step = std::max<int64_t>(1, kMostPoints / num_samples);
  std::vector<at::Tensor> parts{at::empty({0}, columns.all.options())};
  for (int64_t begin = 0; begin < first.size(0); begin += step) {
    const int64_t count = std::min(step, first.size(0) - begin);
    parts.push_back(paired(rows(columns, first.narrow(0, begin, count)),
                           rows(columns, second.narrow(0, begin, count)), num_samples));
  }
  return at::cat(parts);
}

at::Tensor sampled_iou_reference(const at::Tensor& boxes1, const at::Tensor& boxes2, bool aligned,
                                 int64_t num_samples) {
  const Columns a = columns_of(boxes1), b = columns_of(boxes2);
  const int64_t n = boxes1.size(0), m = boxes2.size(0);
  at::Tensor ratios =
      aligned ? at::zeros({n}, a.all.options()) : at::zeros({n, m}, a.all.options());
  if (ratios.numel() == 0) return ratios;
  const int64_t rows_at_once =
      std::max<int64_t>(1, kMostPoints / (num_samples * (aligned ? 1 : m)));
  for (int64_t begin = 0; begin < n; begin += rows_at_once) {
    const int64_t count = std::min(rows_at_once, n - begin);
    const Columns part{a.all.narrow(0, begin, count)};
    if (!aligned) {
      ratios.narrow(0, begin, count).copy_(dense(part, b, num_samples));
      continue;
    }
    const Columns other{b.all.narrow(0, begin, count)};
    const auto first = [&](std::size_t offset) { return part[offset]; };
    const auto second = [&](std::size_t offset) { return other[offset]; };
    ratios.narrow(0, begin, count)
        .copy_(paired(part, other, num_samples).masked_fill(meet(first, second).logical_not(), 0));
  }
  return ratios;
}

}  // namespace grasppanda::ops
