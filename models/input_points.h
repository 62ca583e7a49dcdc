// Which points of an input a network sees: the parts that the grasp models share.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/grasp_postprocess.h"
#include "models/model.h"

namespace grasppanda::models {

struct InputPoints {
  at::Tensor points;   // (N, 3) float32; N = 0: nothing to do
  at::Tensor mask;     // (N,) bool, or undefined: no object mask
  SceneClouds clouds;  // what grasps must not touch
};

/// Rows of `points` (n, 3) without NaN and infinity, ascending int64. Drops the others with a
/// warning that begins with `what`.
at::Tensor finite_rows(const at::Tensor& points, const std::string& what, Accounting& accounting);

/// Throws InputError when the object mask, if there is one, has not one value a point.
void require_mask_size(const GraspInput& input, std::int64_t points);

/// Rows of the input's cloud that the network sees, int64: those of `--sample-index` that are
/// finite, in its order; without one, the rows `finite` in the order of draw(how many there are).
/// Throws InputError for an index that the cloud has not got.
using Draw = std::function<std::vector<std::int64_t>(std::int64_t n)>;
at::Tensor sampled_rows(const GraspInput& input, const at::Tensor& finite, const Draw& draw);

/// `--points`: the network's input as it was given, without what is not finite.
InputPoints given_points(const GraspInput& input, Accounting& accounting);

/// The input of a network that works in the camera's own frame: `num_points` of the masked cloud,
/// drawn with the input's seed as NumPy's RandomState draws them, points repeated where there are
/// fewer; or what `--points` or `--sample-index` say. Nothing usable gives N = 0 and one warning
/// that names the stage. Stages: sample_idx, points.
InputPoints camera_frame_points(const GraspInput& input, std::int64_t num_points,
                                Accounting& accounting, const StageObserver& observe);

}  // namespace grasppanda::models
