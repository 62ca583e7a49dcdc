#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

#include "lib/ops/rotated/roi_align.h"

namespace grasppanda::ops {

/// Two operators under one name. mmcv: means of sampling_ratio x sampling_ratio points a cell.
/// oriented_det: one point a cell; the outer points lie on the edges of the box, and what lies
/// outside the map counts 0.
enum class RoiAlignVariant : std::uint8_t { mmcv, oriented_det };

/// "mmcv" or "oriented_det"; throws ArgumentError for anything else.
RoiAlignVariant parse_roi_align_variant(std::string_view name);

/// Features of rotated boxes: rows of the result run along the local y axis, columns along x.
///
/// boxes  (K, 5) float32: (cx, cy, w, h, angle), image pixels, radians from +x towards +y
///        (mmcv's `clockwise`, `aligned`)
/// The rest as roi_align; `oriented_det` has no sampling ratio.
at::Tensor rotated_roi_align(const FeaturePyramid& pyramid, const at::Tensor& boxes,
                             RoiAlignVariant variant, const at::Tensor& batch = {},
                             const RoiAlignOptions& options = {.sampling_ratio = 2});

}  // namespace grasppanda::ops
