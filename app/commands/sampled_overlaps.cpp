#include "app/commands/sampled_overlaps.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cstdint>

#include "lib/ops/rotated/rotated_iou_sample_count.h"
#include "lib/ops/rotated/sampled_iou.h"

namespace grasppanda::app {

namespace {

constexpr std::int64_t kMostPairs = std::int64_t{1} << 22;  // 16 MiB of overlaps at once

at::Tensor to_tensor(std::span<const geometry::RotatedBox> boxes) {
  at::Tensor rows = at::empty({static_cast<std::int64_t>(boxes.size()), 5}, at::kFloat);
  auto* row = rows.mutable_data_ptr<float>();
  for (const geometry::RotatedBox& box : boxes) {
    for (const double value : {box.cx, box.cy, box.w, box.h, box.angle}) {
      *row++ = static_cast<float>(value);
    }
  }
  return rows;
}

}  // namespace

eval::BoxOverlaps sampled_overlaps() {
  ops::sample_settings(ops::SamplePurpose::iou);
  return [](std::span<const geometry::RotatedBox> detections,
            std::span<const geometry::RotatedBox> objects) {
    std::vector<float> overlaps;
    overlaps.reserve(detections.size() * objects.size());
    const at::Tensor rows = to_tensor(detections), columns = to_tensor(objects);
    // Parts of the table share the number of samples of the whole.
    const std::int64_t samples =
        ops::rotated_iou_sample_count(rows, columns, ops::SamplePurpose::iou);
    const std::int64_t step =
        std::max<std::int64_t>(1, kMostPairs / std::max<std::int64_t>(1, columns.size(0)));
    for (std::int64_t begin = 0; begin < rows.size(0); begin += step) {
      const std::int64_t count = std::min(step, rows.size(0) - begin);
      const at::Tensor part =
          ops::sampled_iou(rows.narrow(0, begin, count), columns, samples).contiguous();
      const auto* values = part.const_data_ptr<float>();
      overlaps.insert(overlaps.end(), values, values + part.numel());
    }
    return overlaps;
  };
}

}  // namespace grasppanda::app
