// From the raw numbers of the heads to grasps, the 17 columns.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/gsnet/network.h"

namespace grasppanda::models::gsnet {

/// The rotations of all 300 views with all 12 angles, made once, on the CPU: suppression looks at
/// their last bits.
struct ViewRotations {
  ViewRotations();
  at::Tensor views;  // (300, 3): from the grasp point back to where the gripper comes from
  at::Tensor table;  // (300, 12, 3, 3), approach vector -view
  /// (M, 3, 3): of the views (M,), angle 0.
  at::Tensor upright(const at::Tensor& view) const;
};

/// (M, 17) float32 rows on the CPU, in the order of the seeds: the best angle and depth of each,
/// the first on ties; score as it comes, width scaled and clamped to 0 .. 0.1 m, height 0.02 m, the
/// centre at the seed (see lib/geometry/grasp.h). xyz (M, 3), view (M,) int64.
at::Tensor decode(const at::Tensor& xyz, const at::Tensor& view, const Proposals& proposals,
                  const ViewRotations& rotations);

}  // namespace grasppanda::models::gsnet
