#include "lib/ops/rotated/roi_align.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/argument_check.h"
#include "lib/ops/rotated/cpu_kernels.h"
#include "lib/ops/rotated/cuda_kernels.h"

namespace grasppanda::ops {
namespace {

constexpr double kFinestScale = 56;

void check_pyramid(std::string_view op, const FeaturePyramid& pyramid) {
  if (pyramid.levels.empty())
    refuse_argument(op, "features", "hold no map", "at least one (B, C, H, W)");
  if (pyramid.levels.size() != pyramid.strides.size())
    refuse_argument(op, "strides", "are " + std::to_string(pyramid.strides.size()),
                    std::to_string(pyramid.levels.size()) + ", one for each feature map");
  const at::Tensor& first = pyramid.levels.front();
  for (const at::Tensor& level : pyramid.levels) {
    if (level.dim() != 4 || level.scalar_type() != at::kFloat || level.size(2) < 1 ||
        level.size(3) < 1)
      refuse_argument(
          op, "features",
          "hold a " + std::string(c10::toString(level.scalar_type())) + " map " + shape_text(level),
          "float32 (B, C, H, W) with H and W of at least 1");
    if (level.size(0) != first.size(0) || level.size(1) != first.size(1))
      refuse_argument(op, "features",
                      "hold maps " + shape_text(first) + " and " + shape_text(level),
                      "equal batches and channels");
    require_like(op, "features", level, "the first map", first);
  }
  for (const double stride : pyramid.strides)
    if (!(stride > 0))
      refuse_argument(op, "strides", "hold " + std::to_string(stride), "numbers > 0");
}

void check_boxes(std::string_view op, const at::Tensor& boxes, int64_t columns,
                 const at::Tensor& feature, const RoiAlignOptions& options) {
  if (boxes.dim() != 2 || boxes.size(1) != columns)
    refuse_argument(op, "boxes", "has shape " + shape_text(boxes),
                    "(K, " + std::to_string(columns) + ")");
  require_like(op, "boxes", boxes, "the feature maps", feature);
  if (options.output_size < 1 || options.output_size > 1024)
    refuse_argument(op, "output_size", "is " + std::to_string(options.output_size), "1 to 1024");
  if (options.sampling_ratio < 0 || options.sampling_ratio > roi::kMostPoints)
    refuse_argument(op, "sampling_ratio", "is " + std::to_string(options.sampling_ratio),
                    "0 (by the size of the cell) to " + std::to_string(roi::kMostPoints));
}

at::Tensor checked_batch(std::string_view op, const at::Tensor& batch, const at::Tensor& boxes,
                         int64_t maps) {
  if (!batch.defined()) {
    if (maps == 0 && boxes.size(0) > 0)
      refuse_argument(op, "features", "hold an empty batch", "a map for every box");
    return at::zeros({boxes.size(0)}, boxes.options().dtype(at::kLong));
  }
  if (batch.dim() != 1 || batch.size(0) != boxes.size(0) || batch.is_floating_point())
    refuse_argument(op, "batch", "has shape " + shape_text(batch),
                    "(" + std::to_string(boxes.size(0)) + ",) integers, one for each box");
  const at::Tensor index = batch.to(boxes.device(), at::kLong);
  if (index.lt(0).logical_or(index.ge(maps)).any().item<bool>())
    refuse_argument(op, "batch", "holds an index outside the batch",
                    "0 to " + std::to_string(maps - 1));
  return index;
}

}  // namespace

at::Tensor roi_levels(const at::Tensor& w, const at::Tensor& h, int64_t levels) {
  return w.mul(h)
      .sqrt()
      .div(kFinestScale)
      .add(1e-6)
      .log2()
      .floor()
      .nan_to_num(0)
      .clamp(0, static_cast<double>(levels - 1))
      .to(at::kLong);
}

at::Tensor align_rois(std::string_view op, const FeaturePyramid& pyramid, const at::Tensor& rows,
                      const at::Tensor& batch, RoiKind kind, const RoiAlignOptions& options) {
  check_pyramid(op, pyramid);
  const at::Tensor& first = pyramid.levels.front();
  check_boxes(op, rows, kind == RoiKind::horizontal ? 4 : 5, first, options);
  const at::Tensor index = checked_batch(op, batch, rows, first.size(0));
  const auto run = [&](std::size_t level, const at::Tensor& boxes, const at::Tensor& maps) {
    return roi_align_kernels().run(first.device(), pyramid.levels[level].detach(), boxes.detach(),
                                   maps, {kind, pyramid.strides[level], options});
  };
  if (pyramid.levels.size() == 1) return run(0, rows, index);
  const auto column = [&](int64_t k) { return rows.select(1, k); };
  const bool sides = kind != RoiKind::horizontal;
  const at::Tensor levels = roi_levels(sides ? column(2) : column(2).sub(column(0)),
                                       sides ? column(3) : column(3).sub(column(1)),
                                       static_cast<int64_t>(pyramid.levels.size()));
  at::Tensor aligned = at::zeros(
      {rows.size(0), first.size(1), options.output_size, options.output_size}, first.options());
  for (std::size_t level = 0; level < pyramid.levels.size(); ++level) {
    const at::Tensor members = levels.eq(static_cast<int64_t>(level)).nonzero().squeeze(1);
    if (members.numel() == 0) continue;
    aligned.index_copy_(0, members,
                        run(level, rows.index_select(0, members), index.index_select(0, members)));
  }
  return aligned;
}

at::Tensor roi_align(const FeaturePyramid& pyramid, const at::Tensor& boxes,
                     const at::Tensor& batch, const RoiAlignOptions& options) {
  return align_rois("roi_align", pyramid, boxes, batch, RoiKind::horizontal, options);
}

KernelList<RoiAlignFn>& roi_align_kernels() {
  static KernelList<RoiAlignFn> list("rotated",
                                     {rotated_cuda_kernels().roi_align,
                                      roi_align_cpu_kernel(),
                                      {kReference, {}, {}, roi_align_reference}},
                                     check_roi_align, "roi_align");
  return list;
}

}  // namespace grasppanda::ops
