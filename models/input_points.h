// Which points of an input a network sees: the part that the grasp models share.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "models/grasp_postprocess.h"
#include "models/model.h"

namespace grasppanda::models {

struct InputPoints {
  at::Tensor points;   // (N, 3) float32; N = 0: nothing to do
  at::Tensor mask;     // (N,) bool: on the object; undefined: no object mask
  at::Tensor sample;   // (N,) int64 rows of the masked cloud; undefined for `--points`
  SceneClouds clouds;  // what grasps must not touch
};

/// `--points`: the network's input as it was given, without what is not finite. No usable point
/// gives N = 0 and one warning.
InputPoints given_points(const GraspInput& input, Accounting& accounting);

/// The input of a network that works in the camera's own frame: what `--points` or
/// `--sample-index` say, else `num_points` of the masked cloud, drawn with the input's seed as
/// NumPy's RandomState draws them; where there are fewer, all in order and then repeats. Points
/// with NaN or infinite coordinates are dropped with a warning first. No usable point gives N = 0
/// and one warning. Throws InputError: a mask or sample index that does not fit the cloud.
InputPoints camera_frame_points(const GraspInput& input, std::int64_t num_points,
                                Accounting& accounting);

}  // namespace grasppanda::models
