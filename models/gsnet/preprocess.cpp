#include "models/gsnet/preprocess.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <string>

#include "lib/ops/errors.h"
#include "lib/ops/point/voxelize.h"
#include "models/checkpoint_error.h"
#include "models/numpy_random.h"
#include "models/sampled_rows.h"

namespace grasppanda::models::gsnet {

namespace {

constexpr std::int64_t kHead = 16;  // rows of the cloud that a dump holds

Prepared nothing(const std::string& warning, Accounting& accounting) {
  accounting.warnings.push_back(warning);
  Prepared prepared;
  prepared.points = at::empty({0, 3}, at::kFloat);
  return prepared;
}

Prepared given_points(const GraspInput& input, Accounting& accounting) {
  const at::Tensor given = input.network_points->to(at::kCPU, at::kFloat);
  require_mask_size(input, given.size(0));
  Prepared prepared;
  prepared.points = given;
  prepared.mask = input.object_mask;
  if (!surely_finite(given)) {
    const at::Tensor rows = finite_rows(given, "points", accounting);
    prepared.points = given.index_select(0, rows);
    if (prepared.mask.defined()) prepared.mask = prepared.mask.index_select(0, rows);
  }
  if (prepared.points.size(0) == 0)
    return nothing("points: the file holds no usable point, so there is no grasp", accounting);
  prepared.clouds = {prepared.points.to(at::kDouble), prepared.points};
  return prepared;
}

Prepared sampled_cloud(const GraspInput& input, std::int64_t num_points, Accounting& accounting,
                       const StageObserver& observe) {
  require_mask_size(input, input.cloud.size(0));
  at::Tensor cloud = input.cloud, finite;
  if (!surely_finite(cloud)) {
    finite = finite_rows(cloud, "cloud", accounting);
    cloud = cloud.index_select(0, finite);
  }
  if (cloud.size(0) == 0)
    return nothing("cloud: no point is left after the masks, so there is no grasp", accounting);
  const at::Tensor sample = sampled_rows(input, finite, [&](std::int64_t n) {
    NumpyRandom random(input.seed);
    return sample_with_repetition(random, n, num_points);
  });
  if (sample.size(0) == 0)
    return nothing("sampling: no point was taken, so there is no grasp", accounting);
  Prepared prepared;
  prepared.points = input.cloud.index_select(0, sample).to(at::kFloat);
  if (input.object_mask.defined()) prepared.mask = input.object_mask.index_select(0, sample);
  prepared.clouds = {cloud, prepared.points};
  if (observe) {
    observe("cloud_masked_head", cloud.narrow(0, 0, std::min(kHead, cloud.size(0))));
    observe("cloud_masked_sum", cloud.sum(0));
    observe("sample_index", sample.to(at::kInt));
  }
  return prepared;
}

}  // namespace

Prepared prepare(const GraspInput& input, const PreprocessSettings& settings,
                 Accounting& accounting, const StageObserver& observe) {
  Prepared prepared = input.network_points
                          ? given_points(input, accounting)
                          : sampled_cloud(input, settings.num_points, accounting, observe);
  accounting.counts.emplace_back("sampled", prepared.points.size(0));
  if (prepared.points.size(0) == 0) return prepared;
  try {
    const ops::Voxels voxels = ops::voxelize(prepared.points.unsqueeze(0), settings.voxel_size);
    prepared.coords = voxels.coords;
    prepared.voxel_of = voxels.inverse;
  } catch (const ops::ArgumentError& error) {
    throw InputError(std::string(error.what()) +
                     "; drop far points with input.limit_box or input.depth.max");
  }
  accounting.counts.emplace_back("voxels", prepared.coords.size(0));
  if (observe) {
    observe("cloud_sampled", prepared.points);
    observe("voxel_coords", prepared.coords);
    observe("quantize2original", prepared.voxel_of.to(at::kInt));
  }
  return prepared;
}

}  // namespace grasppanda::models::gsnet
