// From the raw numbers of the heads to grasps: poses, widths, confidences, the 17 columns.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/contact_graspnet/network.h"

namespace grasppanda::models::contact_graspnet {

/// What column 1 holds. Predicted widths of the trained weights are nearly useless (often 0), so
/// the default is the full opening of the hand.
enum class Opening { full, predicted, magnitude };

/// Grasps in the order of the centres; CPU, float32.
struct Decoded {
  at::Tensor confidence;    // (M,) 0..1
  at::Tensor width;         // (M,) metres, >= 0: opening between the contacts
  at::Tensor signed_width;  // (M,) metres, before negative ones became 0; < 0: reversed baseline
  /// (M, 4, 4), frame of the centres. Columns: baseline (from this contact towards the other),
  /// approach x baseline, approach, origin (base of the hand, 0.1034 m behind the contacts).
  at::Tensor poses;
};

/// Widths are clamped to [-gripper_width, gripper_width / 2]. A zero vector gives a row with NaN.
Decoded decode(const at::Tensor& centres, const Heads& heads, double gripper_width);

/// (M, 17) float32 rows of the GraspNet format (see lib/geometry/grasp.h), frame of the centres.
/// Score = confidence; depth 0.025 m puts the finger ends on the contact line.
at::Tensor grasp_rows(const Decoded& decoded, Opening opening);

}  // namespace grasppanda::models::contact_graspnet
