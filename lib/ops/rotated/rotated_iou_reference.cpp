#include <ATen/ATen.h>

#include "lib/ops/rotated/box_frame.h"
#include "lib/ops/rotated/rotated_iou.h"

namespace grasppanda::ops {
namespace {

BoxFrame frame_of(const double* row) {
  return box_frame(row[0], row[1], row[2], row[3], row[4]);
}

}  // namespace

at::Tensor rotated_iou_reference(const at::Tensor& boxes1, const at::Tensor& boxes2, bool aligned,
                                 OverlapRatio ratio) {
  const at::Tensor a = boxes1.to(at::kCPU, at::kDouble).contiguous();
  const at::Tensor b = boxes2.to(at::kCPU, at::kDouble).contiguous();
  const int64_t n = a.size(0), m = b.size(0);
  at::Tensor ratios = aligned ? at::empty({n}, a.options()) : at::empty({n, m}, a.options());
  const double *rows_a = a.const_data_ptr<double>(), *rows_b = b.const_data_ptr<double>();
  double* out = ratios.mutable_data_ptr<double>();
  for (int64_t i = 0; i < n; ++i) {
    const BoxFrame frame = frame_of(rows_a + 5 * i);
    for (int64_t j = aligned ? i : 0; j < (aligned ? i + 1 : m); ++j)
      *out++ = overlap_ratio(frame, frame_of(rows_b + 5 * j), ratio);
  }
  return ratios.to(boxes1.options());
}

}  // namespace grasppanda::ops
