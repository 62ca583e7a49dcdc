#include <ATen/ATen.h>

#include "lib/ops/rotated/roi_align.h"
#include "lib/ops/rotated/seeded_boxes.h"
#include "lib/ops/seeded_clouds.h"

namespace grasppanda::ops {
namespace {

at::Tensor seeded_map(int64_t batch, int64_t channels, int64_t height, int64_t width,
                      uint64_t seed) {
  SeededNumbers numbers(seed);
  at::Tensor map = at::empty({batch, channels, height, width}, at::kFloat);
  float* out = map.mutable_data_ptr<float>();
  for (int64_t i = 0; i < map.numel(); ++i) out[i] = numbers.uniform() - 0.5F;
  return map;
}

at::Tensor horizontal(const at::Tensor& boxes) {
  const auto column = [&](int64_t k) { return boxes.select(1, k); };
  const at::Tensor half_w = column(2).mul(0.5), half_h = column(3).mul(0.5);
  return at::stack(
      {column(0).sub(half_w), column(1).sub(half_h), column(0).add(half_w), column(1).add(half_h)},
      1);
}

}  // namespace

std::string check_roi_align(const Kernel<RoiAlignFn>& kernel, c10::Device device) {
  uint64_t seed = 481;
  for (const int64_t channels : {5, 33})
    for (const BoxKind kind : {BoxKind::aerial, BoxKind::degenerate}) {
      const at::Tensor map = seeded_map(2, channels, 13, 21, ++seed);
      const at::Tensor boxes = seeded_boxes(kind, 7, seed, 90);
      boxes.narrow(1, 2, 2).clamp_max_(64);  // larger ones have thousands of points
      const at::Tensor batch = seeded_labels(7, 2, seed);
      for (const RoiSampling& sampling :
           {RoiSampling{RoiKind::horizontal, 4, {7, 0}},
            RoiSampling{RoiKind::horizontal, 8, {3, 3}}, RoiSampling{RoiKind::rotated, 4, {7, 2}},
            RoiSampling{RoiKind::rotated, 16, {2, 0}}, RoiSampling{RoiKind::spanning, 4, {7, 0}},
            RoiSampling{RoiKind::spanning, 8, {1, 0}}}) {
        const at::Tensor rows = sampling.kind == RoiKind::horizontal ? horizontal(boxes) : boxes;
        const at::Tensor got =
            kernel.run(map.to(device), rows.to(device), batch.to(device), sampling);
        const std::string difference =
            first_difference("features", got, roi_align_reference(map, rows, batch, sampling));
        if (!difference.empty())
          return "kind " + std::to_string(static_cast<int>(sampling.kind)) + ": " + difference;
      }
    }
  return {};
}

}  // namespace grasppanda::ops
