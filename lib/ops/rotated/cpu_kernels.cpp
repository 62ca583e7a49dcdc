#include "lib/ops/rotated/cpu_kernels.h"

#include <ATen/ATen.h>

#include "lib/ops/kernel_threads.h"
#include "lib/ops/rotated/box_table.h"
#include "lib/ops/rotated/perfect_square.h"
#include "lib/ops/rotated/roi_align_cpu.h"
#include "lib/ops/rotated/rotated_iou_cpu.h"
#include "lib/ops/rotated/rotated_nms_cpu.h"
#include "lib/ops/rotated/sampled_iou_cpu.h"
#include "lib/ops/rotated/sampled_nms_cpu.h"
#include "lib/ops/rotated/score_order.h"

namespace grasppanda::ops {
namespace {

// Boxes are numbered in 32 bits.
constexpr int64_t kMostBoxes = 0xFFFFFFFE;
// Pixels of a map in 31.
constexpr int64_t kMostPixels = 0x7FFFFFFF;

Reason missing_beside_cpu(c10::DeviceType device) {
  return device == c10::kCPU ? Reason{} : kForAnotherDevice;
}

std::vector<BoxFrame> frames_of(const at::Tensor& boxes) {
  const at::Tensor rows = boxes.contiguous();
  const auto count = static_cast<std::size_t>(rows.size(0));
  return rows.scalar_type() == at::kDouble
             ? box_frames(rows.const_data_ptr<double>(), count, kernel_threads())
             : box_frames(rows.const_data_ptr<float>(), count, kernel_threads());
}

template <class T>
void write_ratios(const std::vector<BoxFrame>& first, const std::vector<BoxFrame>& second,
                  bool aligned, OverlapRatio ratio, T* out) {
  if (aligned)
    aligned_rotated_iou_cpu(first, second, ratio, kernel_threads(), out);
  else
    rotated_iou_cpu(first, second, ratio, kernel_threads(), out);
}

at::Tensor run_rotated_iou(const at::Tensor& boxes1, const at::Tensor& boxes2, bool aligned,
                           OverlapRatio ratio) {
  const std::vector<BoxFrame> first = frames_of(boxes1), second = frames_of(boxes2);
  at::Tensor ratios = aligned ? at::empty({boxes1.size(0)}, boxes1.options())
                              : at::empty({boxes1.size(0), boxes2.size(0)}, boxes1.options());
  if (ratios.numel() == 0) return ratios;
  if (boxes1.scalar_type() == at::kDouble)
    write_ratios(first, second, aligned, ratio, ratios.mutable_data_ptr<double>());
  else
    write_ratios(first, second, aligned, ratio, ratios.mutable_data_ptr<float>());
  return ratios;
}

at::Tensor run_rotated_nms(const at::Tensor& boxes, const at::Tensor& groups,
                           SuppressionRule rule) {
  const std::vector<BoxFrame> frames = frames_of(boxes);
  const OuterBounds bounds = outer_bounds(frames);
  const at::Tensor numbers = groups.contiguous();
  const int64_t* group = numbers.const_data_ptr<int64_t>();
  std::vector<std::vector<std::uint32_t>> members;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const auto g = static_cast<std::size_t>(group[i]);
    if (g >= members.size()) members.resize(g + 1);
    members[g].push_back(static_cast<std::uint32_t>(i));
  }
  std::vector<std::uint8_t> stays(frames.size());
  const auto last = static_cast<std::ptrdiff_t>(members.size());
#pragma omp parallel for num_threads(kernel_threads()) schedule(dynamic, 1) if (last > 1)
  for (std::ptrdiff_t g = 0; g < last; ++g) {
    const auto& places = members[static_cast<std::size_t>(g)];
    const std::vector<bool> stay =
        rotated_nms_cpu(frames, bounds, places, rule.iou_threshold, rule.at_equality);
    for (std::size_t k = 0; k < places.size(); ++k) stays[places[k]] = stay[k] ? 1 : 0;
  }
  std::vector<int64_t> kept;
  for (std::size_t i = 0; i < stays.size(); ++i)
    if (stays[i] != 0) kept.push_back(static_cast<int64_t>(i));
  return index_tensor(kept, at::kCPU);
}

std::size_t grid_of(int64_t num_samples) {
  return static_cast<std::size_t>(whole_square_root(num_samples));
}

at::Tensor run_sampled_iou(const at::Tensor& boxes1, const at::Tensor& boxes2, bool aligned,
                           int64_t num_samples) {
  const std::vector<SampledBox> first = sampled_boxes(boxes1), second = sampled_boxes(boxes2);
  at::Tensor ratios = aligned ? at::empty({boxes1.size(0)}, at::kFloat)
                              : at::empty({boxes1.size(0), boxes2.size(0)}, at::kFloat);
  if (ratios.numel() == 0) return ratios;
  const auto run = aligned ? aligned_sampled_iou_cpu : sampled_iou_cpu;
  run(first, second, grid_of(num_samples), kernel_threads(), ratios.mutable_data_ptr<float>());
  return ratios;
}

at::Tensor run_sampled_nms(const at::Tensor& boxes, double iou_threshold, int64_t num_samples) {
  const std::vector<bool> stays = sampled_nms_cpu(
      sampled_boxes(boxes), static_cast<float>(iou_threshold),
      static_cast<float>(0.5 * iou_threshold), grid_of(num_samples), kernel_threads());
  std::vector<int64_t> kept;
  for (std::size_t i = 0; i < stays.size(); ++i)
    if (stays[i]) kept.push_back(static_cast<int64_t>(i));
  return index_tensor(kept, at::kCPU);
}

at::Tensor run_roi_align(const at::Tensor& feature, const at::Tensor& rows, const at::Tensor& batch,
                         RoiSampling sampling) {
  const at::Tensor maps = feature.contiguous(), boxes = rows.contiguous(),
                   index = batch.contiguous();
  const auto cells = static_cast<int>(sampling.options.output_size);
  at::Tensor aligned = at::empty({rows.size(0), feature.size(1), cells, cells}, feature.options());
  if (aligned.numel() == 0) return aligned;
  std::vector<PlannedRoi> rois(static_cast<std::size_t>(rows.size(0)));
  const float* row = boxes.const_data_ptr<float>();
  const int64_t* map = index.const_data_ptr<int64_t>();
  for (PlannedRoi& roi : rois) {
    roi = {roi_plan(sampling.kind, row, static_cast<float>(1 / sampling.stride), cells,
                    static_cast<int>(sampling.options.sampling_ratio)),
           *map++};
    row += rows.size(1);
  }
  roi_align_cpu({maps.const_data_ptr<float>(), maps.size(0), maps.size(1),
                 static_cast<int>(maps.size(2)), static_cast<int>(maps.size(3))},
                rois, cells, kernel_threads(), aligned.mutable_data_ptr<float>());
  return aligned;
}

}  // namespace

Kernel<RotatedIouFn> rotated_iou_cpu_kernel() {
  return {"cpu", missing_beside_cpu,
          [](const at::Tensor& boxes1, const at::Tensor& boxes2, bool, OverlapRatio) {
            return std::max(boxes1.size(0), boxes2.size(0)) > kMostBoxes
                       ? Reason("2^32 - 1 boxes or more")
                       : Reason{};
          },
          run_rotated_iou};
}

Kernel<RotatedNmsFn> rotated_nms_cpu_kernel() {
  return {"cpu", missing_beside_cpu,
          [](const at::Tensor& boxes, const at::Tensor&, const SuppressionRule& rule) {
            if (boxes.size(0) > kMostBoxes) return Reason("2^32 - 1 boxes or more");
            return rule.at_equality && rule.iou_threshold <= 0
                       ? Reason("at iou >= 0 boxes far apart suppress each other")
                       : Reason{};
          },
          run_rotated_nms};
}

Kernel<SampledIouFn> sampled_iou_cpu_kernel() {
  return {"cpu", missing_beside_cpu, {}, run_sampled_iou};
}

Kernel<SampledNmsFn> sampled_nms_cpu_kernel() {
  return {"cpu", missing_beside_cpu, {}, run_sampled_nms};
}

Kernel<RoiAlignFn> roi_align_cpu_kernel() {
  return {"cpu", missing_beside_cpu,
          [](const at::Tensor& feature, const at::Tensor&, const at::Tensor&, const RoiSampling&) {
            return feature.size(2) * feature.size(3) > kMostPixels ? Reason("a map of 2^31 pixels")
                                                                   : Reason{};
          },
          run_roi_align};
}

}  // namespace grasppanda::ops
