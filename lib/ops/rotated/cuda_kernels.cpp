#include "lib/ops/rotated/cuda_kernels.h"

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <string>
#include <vector>

#include "lib/ops/cuda_call.h"
#include "lib/ops/rotated/box_frame.h"
#include "lib/ops/rotated/perfect_square.h"
#include "lib/ops/rotated/sampled_box.h"
#include "lib/ops/rotated/score_order.h"

namespace grasppanda::ops {
namespace {

/// Blocks of threads are counted in 31 bits.
constexpr int64_t kMostItems = int64_t{1} << 36;
constexpr int64_t kMostSamples = int64_t{1} << 30;
constexpr int64_t kMostMasked = int64_t{1} << 14;  // boxes: a mask of 32 MiB

template <class Made>
at::Tensor memory_for(int64_t boxes, const at::Tensor& like) {
  return cuda_scratch(static_cast<std::size_t>(boxes) * sizeof(Made), like);
}
at::Tensor words_for(int64_t words, const at::Tensor& like) {
  return at::empty({words}, like.options().dtype(at::kLong));
}

at::Tensor empty_ratios(const at::Tensor& boxes1, const at::Tensor& boxes2, bool aligned) {
  return aligned ? at::empty({boxes1.size(0)}, boxes1.options())
                 : at::empty({boxes1.size(0), boxes2.size(0)}, boxes1.options());
}

/// `launch(first, second, made, ratios)`: rows without gaps, memory for one `Made` of each box.
template <class Made, class Launch>
at::Tensor ratios_of_pairs(const at::Tensor& boxes1, const at::Tensor& boxes2, bool aligned,
                           const Launch& launch) {
  const c10::DeviceGuard guard(boxes1.device());
  const at::Tensor first = boxes1.contiguous(), second = boxes2.contiguous();
  at::Tensor ratios = empty_ratios(first, second, aligned);
  if (ratios.numel() == 0) return ratios;
  const at::Tensor made = memory_for<Made>(first.size(0) + second.size(0), first);
  require_cuda_success(launch(first, second, memory_of(made), ratios));
  return ratios;
}

at::Tensor run_rotated_iou(const CudaFunctions& functions, const at::Tensor& boxes1,
                           const at::Tensor& boxes2, bool aligned, OverlapRatio ratio) {
  return ratios_of_pairs<BoxFrame>(
      boxes1, boxes2, aligned,
      [&](const at::Tensor& first, const at::Tensor& second, void* frames, at::Tensor& ratios) {
        return functions.rotated_iou(
            cuda_place_of(first), {first.const_data_ptr(), second.const_data_ptr(), first.size(0),
                                   second.size(0), first.scalar_type() == at::kDouble, aligned,
                                   ratio == OverlapRatio::iof, frames, ratios.mutable_data_ptr()});
      });
}

at::Tensor run_rotated_nms(const CudaFunctions& functions, const at::Tensor& boxes,
                           const at::Tensor& groups, SuppressionRule rule) {
  const c10::DeviceGuard guard(boxes.device());
  const at::Tensor rows = boxes.contiguous(), group = groups.contiguous();
  const int64_t n = rows.size(0), run = kGrasppandaSuppressionRun;
  at::Tensor suppressed = at::empty({n}, rows.options().dtype(at::kByte));
  const at::Tensor frames = memory_for<BoxFrame>(n, rows);
  const at::Tensor mask = words_for(run * run / 64, rows), kept = words_for(run + 1, rows);
  require_cuda_success(functions.rotated_nms(
      cuda_place_of(rows),
      {rows.const_data_ptr(), group.const_data_ptr<int64_t>(), n, rows.scalar_type() == at::kDouble,
       rule.iou_threshold, rule.at_equality, memory_of(frames),
       static_cast<unsigned long long*>(mask.mutable_data_ptr()), kept.mutable_data_ptr<int64_t>(),
       suppressed.mutable_data_ptr<uint8_t>()}));
  return suppressed.cpu().eq(0).nonzero().squeeze(1);
}

at::Tensor run_sampled_iou(const CudaFunctions& functions, const at::Tensor& boxes1,
                           const at::Tensor& boxes2, bool aligned, int64_t num_samples) {
  return ratios_of_pairs<SampledBox>(
      boxes1, boxes2, aligned,
      [&](const at::Tensor& first, const at::Tensor& second, void* made, at::Tensor& ratios) {
        return functions.sampled_iou(
            cuda_place_of(first),
            {first.const_data_ptr<float>(), second.const_data_ptr<float>(), first.size(0),
             second.size(0), aligned, static_cast<unsigned>(whole_square_root(num_samples)), made,
             ratios.mutable_data_ptr<float>()});
      });
}

/// Who stays, from the mask: one box after the other strikes what it suppresses.
at::Tensor staying(const at::Tensor& mask) {
  const int64_t n = mask.size(0), words = mask.size(1);
  const auto* row = reinterpret_cast<const std::uint32_t*>(mask.const_data_ptr<int32_t>());
  std::vector<std::uint32_t> gone(static_cast<std::size_t>(words), 0);
  std::vector<int64_t> kept;
  for (int64_t i = 0; i < n; ++i, row += words) {
    if ((gone[static_cast<std::size_t>(i / 32)] >> (i % 32) & 1U) != 0) continue;
    kept.push_back(i);
    for (int64_t word = i / 32; word < words; ++word)
      gone[static_cast<std::size_t>(word)] |= row[word];
  }
  return index_tensor(kept, at::kCPU);
}

at::Tensor run_sampled_nms(const CudaFunctions& functions, const at::Tensor& boxes,
                           double iou_threshold, int64_t num_samples) {
  const c10::DeviceGuard guard(boxes.device());
  const at::Tensor rows = boxes.contiguous();
  const int64_t n = rows.size(0);
  const at::Tensor mask = at::empty({n, (n + 31) / 32}, rows.options().dtype(at::kInt));
  const at::Tensor made = memory_for<SampledBox>(n, rows);
  require_cuda_success(functions.sampled_mask(
      cuda_place_of(rows),
      {rows.const_data_ptr<float>(), n, static_cast<unsigned>(whole_square_root(num_samples)),
       static_cast<float>(iou_threshold), static_cast<float>(0.5 * iou_threshold), memory_of(made),
       reinterpret_cast<std::uint32_t*>(mask.mutable_data_ptr<int32_t>())}));
  return staying(mask.cpu());
}

at::Tensor run_roi_align(const CudaFunctions& functions, const at::Tensor& feature,
                         const at::Tensor& rows, const at::Tensor& batch, RoiSampling sampling) {
  const c10::DeviceGuard guard(feature.device());
  const at::Tensor maps = feature.contiguous(), boxes = rows.contiguous(),
                   index = batch.contiguous();
  const int64_t rois = boxes.size(0), channels = maps.size(1), cells = sampling.options.output_size;
  at::Tensor aligned = at::empty({rois, channels, cells, cells}, maps.options());
  if (aligned.numel() == 0) return aligned;
  const at::Tensor plans = memory_for<RoiPlan>(rois, maps);
  require_cuda_success(functions.roi_align(
      cuda_place_of(maps), {maps.const_data_ptr<float>(), channels, static_cast<int>(maps.size(2)),
                            static_cast<int>(maps.size(3)), boxes.const_data_ptr<float>(),
                            index.const_data_ptr<int64_t>(), rois, static_cast<int>(sampling.kind),
                            static_cast<float>(1 / sampling.stride), static_cast<int>(cells),
                            static_cast<int>(sampling.options.sampling_ratio), memory_of(plans),
                            aligned.mutable_data_ptr<float>()}));
  return aligned;
}

Reason declines_pairs(const at::Tensor& boxes1, const at::Tensor& boxes2) {
  return boxes1.size(0) <= kMostItems / std::max<int64_t>(1, boxes2.size(0)) ? Reason{}
                                                                             : "2^36 pairs or more";
}
Reason declines_samples(int64_t num_samples) {
  return num_samples < kMostSamples ? Reason{} : "2^30 samples or more";
}

RotatedCudaKernels make_kernels(const CudaFunctionsOf& functions,
                                Reason (*missing)(c10::DeviceType)) {
  RotatedCudaKernels kernels;
  kernels.rotated_iou = {"cuda", missing,
                         [](const at::Tensor& boxes1, const at::Tensor& boxes2, bool,
                            OverlapRatio) { return declines_pairs(boxes1, boxes2); },
                         [functions](const at::Tensor& boxes1, const at::Tensor& boxes2,
                                     bool aligned, OverlapRatio ratio) {
                           return run_rotated_iou(functions(), boxes1, boxes2, aligned, ratio);
                         }};
  kernels.rotated_nms = {
      "cuda", missing,
      [](const at::Tensor&, const at::Tensor&, const SuppressionRule& rule) {
        return rule.at_equality && rule.iou_threshold <= 0
                   ? Reason("at iou >= 0 boxes far apart suppress each other")
                   : Reason{};
      },
      [functions](const at::Tensor& boxes, const at::Tensor& groups, SuppressionRule rule) {
        return run_rotated_nms(functions(), boxes, groups, rule);
      }};
  kernels.sampled_iou = {
      "cuda", missing,
      [](const at::Tensor& boxes1, const at::Tensor& boxes2, bool, int64_t num_samples) {
        const Reason reason = declines_samples(num_samples);
        return reason.empty() ? declines_pairs(boxes1, boxes2) : reason;
      },
      [functions](const at::Tensor& boxes1, const at::Tensor& boxes2, bool aligned,
                  int64_t num_samples) {
        return run_sampled_iou(functions(), boxes1, boxes2, aligned, num_samples);
      }};
  kernels.sampled_nms = {
      "cuda", missing,
      [](const at::Tensor& boxes, double, int64_t num_samples) {
        if (boxes.size(0) > kMostMasked) return Reason("more than 2^14 boxes");
        return declines_samples(num_samples);
      },
      [functions](const at::Tensor& boxes, double iou_threshold, int64_t num_samples) {
        return run_sampled_nms(functions(), boxes, iou_threshold, num_samples);
      }};
  kernels.roi_align = {
      "cuda", missing,
      [](const at::Tensor& feature, const at::Tensor& rows, const at::Tensor&,
         const RoiSampling& sampling) {
        const int64_t cells = sampling.options.output_size;
        return rows.size(0) <= kMostItems / std::max<int64_t>(1, feature.size(1) * cells * cells)
                   ? Reason{}
                   : Reason("2^36 features or more");
      },
      [functions](const at::Tensor& feature, const at::Tensor& rows, const at::Tensor& batch,
                  RoiSampling sampling) {
        return run_roi_align(functions(), feature, rows, batch, sampling);
      }};
  return kernels;
}

}  // namespace

RotatedCudaKernels rotated_cuda_kernels() {
  return make_kernels(functions_of_cuda_module(), missing_cuda_module);
}

RotatedCudaKernels rotated_cuda_kernels_of(const CudaFunctions& functions) {
  return make_kernels([functions]() -> const CudaFunctions& { return functions; }, nullptr);
}

}  // namespace grasppanda::ops
