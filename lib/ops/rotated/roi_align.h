#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string>
#include <vector>

#include "lib/ops/kernel_list.h"
#include "lib/ops/rotated/roi_plan.h"

namespace grasppanda::ops {

/// The feature maps that RoIs are read from: level l is (B, C, H, W) float32, one pixel of it is
/// strides[l] image pixels wide. B, C and device are the same for all.
struct FeaturePyramid {
  std::vector<at::Tensor> levels;
  std::vector<double> strides;
};

struct RoiAlignOptions {
  int64_t output_size = 7;     // cells a side
  int64_t sampling_ratio = 0;  // points a cell and axis; 0: as many as the cell is pixels wide
};

/// Features of horizontal boxes: torchvision's and mmcv's RoIAlign, aligned, mean.
///
/// pyramid  see FeaturePyramid
/// boxes    (K, 4) float32: (x1, y1, x2, y2), image pixels
/// batch    (K,) int64: which map of the batch; undefined: 0
/// returns  (K, C, output_size, output_size) float32
///
/// Contract (every kernel returns the same bits): a box reads the level of roi_levels. A point more
/// than one pixel outside the map counts 0; else it is moved to the border. Points and pixels are
/// added in order, every product and sum rounded on its own. A box that is empty or no number is 0.
/// Throws ArgumentError: shapes, types, devices, a batch index that is not there. BackendError.
/// Config key `runtime.rotated.backend`. Details in docs/ops/rotated.md
at::Tensor roi_align(const FeaturePyramid& pyramid, const at::Tensor& boxes,
                     const at::Tensor& batch = {}, const RoiAlignOptions& options = {});

/// floor(log2(sqrt(w * h) / 56 + 1e-6)) in float32, within 0 .. levels - 1: (K,) int64.
at::Tensor roi_levels(const at::Tensor& w, const at::Tensor& h, int64_t levels);

/// The steps of one call on one map.
struct RoiSampling {
  RoiKind kind;
  double stride;
  RoiAlignOptions options;
};

/// Every box from its level; `rows` (K, 4) or (K, 5) float32, checked by the operators.
at::Tensor align_rois(std::string_view op, const FeaturePyramid& pyramid, const at::Tensor& rows,
                      const at::Tensor& batch, RoiKind kind, const RoiAlignOptions& options);

/// What defines the result. feature (B, C, H, W), rows as above, batch (K,) int64.
at::Tensor roi_align_reference(const at::Tensor& feature, const at::Tensor& rows,
                               const at::Tensor& batch, RoiSampling sampling);

using RoiAlignFn = at::Tensor(at::Tensor, at::Tensor, at::Tensor, RoiSampling);
KernelList<RoiAlignFn>& roi_align_kernels();

/// One call, seeded: shared by self-check, tests and benches.
struct RoiAlignCase {
  at::Tensor feature, rows, batch;
  RoiSampling sampling;
};
RoiAlignCase random_roi_align_case(uint64_t seed, int64_t pixels);
/// `rois` boxes w 8 to 100, h 4 to 40 on one map of 256 x 256 pixels, 4 image pixels each.
RoiAlignCase rotated_roi_align_scene(int64_t rois, int64_t channels);
/// The first difference from the reference, or nothing.
std::string compare_roi_align(const Kernel<RoiAlignFn>& kernel, c10::Device device,
                              const RoiAlignCase& call);
std::string check_roi_align(const Kernel<RoiAlignFn>& kernel, c10::Device device);

}  // namespace grasppanda::ops
