#include "models/input_points.h"

#include <ATen/ATen.h>

#include <string>

#include "models/numpy_random.h"
#include "models/sampled_rows.h"

namespace grasppanda::models {

namespace {

InputPoints nothing(const std::string& warning, Accounting& accounting) {
  accounting.warnings.push_back(warning);
  InputPoints seen;
  seen.points = at::empty({0, 3}, at::kFloat);
  return seen;
}

InputPoints sampled_points(const GraspInput& input, std::int64_t num_points,
                           Accounting& accounting) {
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
  InputPoints seen;
  seen.points = input.cloud.index_select(0, sample).to(at::kFloat);
  if (input.object_mask.defined()) seen.mask = input.object_mask.index_select(0, sample);
  seen.sample = sample;
  seen.clouds = {cloud, seen.points};
  return seen;
}

}  // namespace

InputPoints given_points(const GraspInput& input, Accounting& accounting) {
  const at::Tensor given = input.network_points->to(at::kCPU, at::kFloat);
  require_mask_size(input, given.size(0));
  InputPoints seen;
  seen.points = given;
  seen.mask = input.object_mask;
  if (!surely_finite(given)) {
    const at::Tensor rows = finite_rows(given, "points", accounting);
    seen.points = given.index_select(0, rows);
    if (seen.mask.defined()) seen.mask = seen.mask.index_select(0, rows);
  }
  if (seen.points.size(0) == 0)
    return nothing("points: the file holds no usable point, so there is no grasp", accounting);
  seen.clouds = {seen.points.to(at::kDouble), seen.points};
  return seen;
}

InputPoints camera_frame_points(const GraspInput& input, std::int64_t num_points,
                                Accounting& accounting) {
  return input.network_points ? given_points(input, accounting)
                              : sampled_points(input, num_points, accounting);
}

}  // namespace grasppanda::models
