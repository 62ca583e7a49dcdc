#include <ATen/ATen.h>

#include <algorithm>

#include "lib/ops/rotated/roi_align.h"
#include "lib/ops/rotated/roi_sampling.h"

namespace grasppanda::ops {
namespace {

// Pixels and weights of every point of a RoI: (4, cells * cells, points), the points of a cell in
// order.
struct Points {
  at::Tensor place, weight;
};

Points points_of(const RoiPlan& plan, int cells, int height, int width) {
  const int64_t bins = int64_t{cells} * cells, points = int64_t{plan.ny} * plan.nx;
  Points all{at::empty({4, bins, points}, at::kLong), at::empty({4, bins, points}, at::kFloat)};
  int64_t* place = all.place.mutable_data_ptr<int64_t>();
  float* weight = all.weight.mutable_data_ptr<float>();
  for (int64_t at = 0; at < bins * points; ++at) {
    const auto bin = static_cast<int>(at / points), point = static_cast<int>(at % points);
    float y = 0, x = 0;
    roi_point(plan, cells, height, width, bin / cells, bin % cells, point / plan.nx,
              point % plan.nx, &y, &x);
    const RoiTaps taps = roi_taps(plan.kind, height, width, y, x);
    for (int64_t k = 0; k < 4; ++k) {
      place[k * bins * points + at] = taps.place[k];
      weight[k * bins * points + at] = taps.weight[k];
    }
  }
  return all;
}

// map (C, H * W); (C, bins). The points of a cell are read some at a time and added one by one.
at::Tensor align_one(const at::Tensor& map, const Points& points) {
  constexpr int64_t kStep = 64;
  const auto shape = points.place.sizes();
  at::Tensor cells = at::zeros({map.size(0), shape[1]}, map.options());
  for (int64_t begin = 0; begin < shape[2]; begin += kStep) {
    const int64_t count = std::min(kStep, shape[2] - begin);
    at::Tensor values;
    for (int64_t k = 0; k < 4; ++k) {
      const at::Tensor place = points.place[k].narrow(1, begin, count).to(map.device());
      const at::Tensor weight = points.weight[k].narrow(1, begin, count).to(map.device());
      const at::Tensor pixels = map.index_select(1, place.clamp_min(0).flatten())
                                    .view({map.size(0), shape[1], count})
                                    .masked_fill(place.lt(0).unsqueeze(0), 0);
      const at::Tensor term = weight.unsqueeze(0).mul(pixels);
      values = k == 0 ? term : values.add(term);
    }
    for (int64_t point = 0; point < count; ++point) cells = cells.add(values.select(2, point));
  }
  return cells.div(static_cast<float>(std::max<int64_t>(1, shape[2])));
}

}  // namespace

at::Tensor roi_align_reference(const at::Tensor& feature, const at::Tensor& rows,
                               const at::Tensor& batch, RoiSampling sampling) {
  const auto cells = static_cast<int>(sampling.options.output_size);
  const auto height = static_cast<int>(feature.size(2)), width = static_cast<int>(feature.size(3));
  at::Tensor aligned = at::empty({rows.size(0), feature.size(1), cells, cells}, feature.options());
  const at::Tensor boxes = rows.to(at::kCPU).contiguous();
  const at::Tensor maps = batch.to(at::kCPU);
  const at::Tensor flat = feature.flatten(2);
  for (int64_t k = 0; k < rows.size(0); ++k) {
    const RoiPlan plan = roi_plan(sampling.kind, boxes[k].const_data_ptr<float>(),
                                  static_cast<float>(1 / sampling.stride), cells,
                                  static_cast<int>(sampling.options.sampling_ratio));
    aligned[k].copy_(align_one(flat[maps[k].item<int64_t>()], points_of(plan, cells, height, width))
                         .view({feature.size(1), cells, cells}));
  }
  return aligned;
}

}  // namespace grasppanda::ops
