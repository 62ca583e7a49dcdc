#include <ATen/ATen.h>

#include <algorithm>

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

RoiAlignCase random_roi_align_case(uint64_t seed, int64_t pixels) {
  SeededNumbers numbers(seed);
  const auto kind = drawn(numbers, {RoiKind::horizontal, RoiKind::rotated, RoiKind::spanning});
  const int64_t width = 1 + numbers.below(std::min<int64_t>(pixels, 70)),
                height = 1 + numbers.below(24);
  const int64_t batches = 1 + numbers.below(2), rois = 1 + numbers.below(6);
  const int64_t channels = drawn<int64_t>(numbers, {1, 5, 16, 17, 64, 83});
  at::Tensor boxes = drawn_boxes(numbers, rois).contiguous();
  boxes.narrow(1, 2, 2).clamp_max_(64);  // larger ones have thousands of points
  boxes.narrow(1, 0, 2).remainder_(drawn(numbers, {30.0, 100.0}));
  const at::Tensor map = seeded_map(batches, channels, height, width, numbers.next());
  const RoiSampling sampling{kind,
                             drawn(numbers, {1.0, 4.0, 8.0}),
                             {drawn<int64_t>(numbers, {1, 3, 7}), numbers.below(4)}};
  return {map, kind == RoiKind::horizontal ? horizontal(boxes) : boxes,
          seeded_labels(rois, batches, numbers.next()), sampling};
}

RoiAlignCase rotated_roi_align_scene(int64_t rois, int64_t channels) {
  return {seeded_map(1, channels, 256, 256, 7),
          seeded_boxes(BoxKind::aerial, rois, 11),
          at::zeros({rois}, at::kLong),
          {RoiKind::rotated, 4, {7, 2}}};
}

std::string compare_roi_align(const Kernel<RoiAlignFn>& kernel, c10::Device device,
                              const RoiAlignCase& call) {
  const at::Tensor got = kernel.run(call.feature.to(device), call.rows.to(device),
                                    call.batch.to(device), call.sampling);
  const std::string difference = first_difference(
      "features", got, roi_align_reference(call.feature, call.rows, call.batch, call.sampling));
  if (difference.empty()) return difference;
  return "kind " + std::to_string(static_cast<int>(call.sampling.kind)) + ": " + difference;
}

std::string check_roi_align(const Kernel<RoiAlignFn>& kernel, c10::Device device) {
  uint64_t seed = 481;
  for (const int64_t channels : {5, 33})
    for (const BoxKind kind : {BoxKind::aerial, BoxKind::degenerate}) {
      const at::Tensor map = seeded_map(2, channels, 13, 21, ++seed);
      const at::Tensor boxes = seeded_boxes(kind, 7, seed, 90);
      boxes.narrow(1, 2, 2).clamp_max_(64);
      const at::Tensor batch = seeded_labels(7, 2, seed);
      for (const RoiSampling& sampling :
           {RoiSampling{RoiKind::horizontal, 4, {7, 0}},
            RoiSampling{RoiKind::horizontal, 8, {3, 3}}, RoiSampling{RoiKind::rotated, 4, {7, 2}},
            RoiSampling{RoiKind::rotated, 16, {2, 0}}, RoiSampling{RoiKind::spanning, 4, {7, 0}},
            RoiSampling{RoiKind::spanning, 8, {1, 0}}}) {
        const at::Tensor rows = sampling.kind == RoiKind::horizontal ? horizontal(boxes) : boxes;
        if (std::string difference =
                compare_roi_align(kernel, device, {map, rows, batch, sampling});
            !difference.empty())
          return difference;
      }
    }
  return {};
}

}  // namespace grasppanda::ops
