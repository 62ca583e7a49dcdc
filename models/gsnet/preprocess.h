// From an input to what the network sees: sampled points, and the voxels they lie in.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "models/grasp_postprocess.h"
#include "models/model.h"

namespace grasppanda::models::gsnet {

struct PreprocessSettings {
  std::int64_t num_points = 15000;
  double voxel_size = 0.005;  // metres
};

struct Prepared {
  at::Tensor points;    // (N, 3) float32, camera frame, metres; N = 0: nothing to do
  at::Tensor mask;      // (N,) bool: on the object; undefined: no object mask
  at::Tensor coords;    // (V, 4) int32 voxels in the order of their first point; batch item 0
  at::Tensor voxel_of;  // (N,) int64
  SceneClouds clouds;
};

/// Draws num_points rows of the masked cloud: without replacement where there are enough, else all
/// in order and then repeats. `--points` are taken as they are. Points with NaN or infinite
/// coordinates are dropped with a warning first. No usable point: N = 0 and one warning.
/// Stages: cloud_masked_head, cloud_masked_sum, sample_index, cloud_sampled, voxel_coords,
/// quantize2original. Throws InputError: a mask or sample index that does not fit the cloud, a
/// cloud too large for the voxels.
Prepared prepare(const GraspInput& input, const PreprocessSettings& settings,
                 Accounting& accounting, const StageObserver& observe);

}  // namespace grasppanda::models::gsnet
