#pragma once

#include <ATen/core/Tensor.h>

namespace grasppanda::ops {

/// Non-maximum suppression of grasps by distance and angle.
///
/// grasps              (n, 17) float32 or float64, columns of geometry/grasp.h; any device
/// translation_thresh  metres; 0 or less deletes nothing
/// rotation_thresh     radians; above pi only the distance counts
/// returns             kept (k,) int64 on the CPU: indices into `grasps`, best score first
///
/// Contract: rows are widened to float64 and ordered by score, highest first, equal scores in
/// input order. From the front, every row that is still there deletes each later row that is
/// nearer than `translation_thresh` and turned by less than `rotation_thresh`, both strict.
///   distance  sqrt((dx*dx + dy*dy) + dz*dz)
///   angle     acos(0.5 * (trace - 1)), trace of Ra * transposed Rb, summed row by row and
///             clamped to [-1, 3]
/// Rows with NaN in rotation or translation neither delete nor are deleted.
/// Throws ArgumentError: shape, type, a NaN threshold, a NaN score (it has no place in the order).
/// Cost near O(n log n): a grid over the kept rows. Source: grasp-nms 1.0.2; docs/ops/grasp.md
at::Tensor grasp_nms(const at::Tensor& grasps, double translation_thresh, double rotation_thresh);

}  // namespace grasppanda::ops
