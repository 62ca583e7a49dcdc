#include "lib/ops/rotated/rotated_roi_align.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {

RoiAlignVariant parse_roi_align_variant(std::string_view name) {
  if (name == "mmcv") return RoiAlignVariant::mmcv;
  if (name == "oriented_det") return RoiAlignVariant::oriented_det;
  refuse_argument("rotated_roi_align", "variant", "is '" + std::string(name) + "'",
                  "mmcv or oriented_det");
}

at::Tensor rotated_roi_align(const FeaturePyramid& pyramid, const at::Tensor& boxes,
                             RoiAlignVariant variant, const at::Tensor& batch,
                             const RoiAlignOptions& options) {
  return align_rois("rotated_roi_align", pyramid, boxes, batch,
                    variant == RoiAlignVariant::mmcv ? RoiKind::rotated : RoiKind::spanning,
                    options);
}

}  // namespace grasppanda::ops
