// From an input to what the network sees: masked cloud, upright, centred, in random order.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

#include "lib/geometry/camera.h"
#include "models/contact_graspnet/network_frame.h"
#include "models/grasp_postprocess.h"
#include "models/model.h"
#include "models/numpy_random.h"

namespace grasppanda::models::contact_graspnet {

enum class Up { fit_table, camera, given };

struct PreprocessSettings {
  std::int64_t num_points = 20000;
  Up up = Up::fit_table;
  geometry::Vec3 up_direction{};  // camera frame, for Up::given
};

struct Prepared {
  at::Tensor points;   // (N, 3) float32, the network's frame; N = 0: nothing to do
  at::Tensor mask;     // (N,) bool, or undefined: no object mask
  NetworkFrame frame;  // tensors undefined where the points are in their own frame (`--points`)
  SceneClouds clouds;  // frame of the results
  bool own_frame() const { return !frame.rotation.defined(); }
};

/// Points with NaN or infinite coordinates are dropped with a warning. An input without a usable
/// point, or with fewer than three distinct ones, gives N = 0 and one warning
/// that names the stage. `random` serves the table fit; the sample has a generator of its own.
/// Stages: plane, sample_idx, table_from_camera_rotation, cloud_mean.
/// Throws InputError: no table found, a mask or sample index that does not fit the cloud.
Prepared prepare(const GraspInput& input, const PreprocessSettings& settings, NumpyRandom& random,
                 Accounting& accounting, const StageObserver& observe);

/// Up to `count` of n points: drawn without replacement, or all of them shuffled. The network keeps
/// the first 64 neighbours in order of index, so a raster order would make them one-sided.
std::vector<std::int64_t> sample_points(std::int64_t n, std::int64_t count, std::uint64_t seed);

}  // namespace grasppanda::models::contact_graspnet
