#include "lib/ops/rotated/sampled_iou.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/argument_check.h"
#include "lib/ops/rotated/cpu_kernels.h"
#include "lib/ops/rotated/cuda_kernels.h"
#include "lib/ops/rotated/rotated_iou.h"
#include "lib/ops/rotated/rotated_iou_sample_count.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "sampled_iou";

// A gigabyte of sample positions; nobody's estimate needs a thousandth of it.
constexpr int64_t kMostSamples = int64_t{1} << 27;

int64_t checked_samples(const at::Tensor& boxes1, const at::Tensor& boxes2,
                        std::optional<int64_t> num_samples) {
  require_rotated_boxes(kOp, "boxes1", boxes1);
  require_rotated_boxes(kOp, "boxes2", boxes2);
  require_like(kOp, "boxes2", boxes2, "boxes1", boxes1);
  const int64_t samples = rotated_iou_sample_count(boxes1, boxes2, SamplePurpose::iou, num_samples);
  if (samples == 0) refuse_argument(kOp, "num_samples", "is 0", "at least one sample");
  if (samples > kMostSamples)
    refuse_argument(kOp, "num_samples", "is " + std::to_string(samples),
                    "at most " + std::to_string(kMostSamples));
  return samples;
}

at::Tensor rows_of(const at::Tensor& boxes) {
  return boxes.detach().to(at::kFloat);
}

}  // namespace

std::vector<SampledBox> sampled_boxes(const at::Tensor& boxes) {
  const at::Tensor rows = boxes.detach().to(at::kCPU, at::kFloat).contiguous();
  const float* row = rows.const_data_ptr<float>();
  std::vector<SampledBox> made(static_cast<std::size_t>(rows.size(0)));
  for (SampledBox& box : made) {
    box = sampled_box(row[0], row[1], row[2], row[3], row[4]);
    row += 5;
  }
  return made;
}

at::Tensor sampled_iou(const at::Tensor& boxes1, const at::Tensor& boxes2,
                       std::optional<int64_t> num_samples) {
  const int64_t samples = checked_samples(boxes1, boxes2, num_samples);
  return sampled_iou_kernels().run(boxes1.device(), rows_of(boxes1), rows_of(boxes2), false,
                                   samples);
}

at::Tensor aligned_sampled_iou(const at::Tensor& boxes1, const at::Tensor& boxes2,
                               std::optional<int64_t> num_samples) {
  const int64_t samples = checked_samples(boxes1, boxes2, num_samples);
  if (boxes1.size(0) != boxes2.size(0))
    refuse_argument(kOp, "boxes2", "holds " + std::to_string(boxes2.size(0)) + " boxes",
                    std::to_string(boxes1.size(0)) + " like boxes1, because they are aligned");
  return sampled_iou_kernels().run(boxes1.device(), rows_of(boxes1), rows_of(boxes2), true,
                                   samples);
}

KernelList<SampledIouFn>& sampled_iou_kernels() {
  static KernelList<SampledIouFn> list("rotated",
                                       {rotated_cuda_kernels().sampled_iou,
                                        sampled_iou_cpu_kernel(),
                                        {kReference, {}, {}, sampled_iou_reference}},
                                       check_sampled_iou, "sampled_iou");
  return list;
}

}  // namespace grasppanda::ops
