#include "models/input_points.h"

#include <ATen/ATen.h>

#include "models/checkpoint_error.h"
#include "models/numpy_random.h"

namespace grasppanda::models {

at::Tensor finite_rows(const at::Tensor& points, const std::string& what, Accounting& accounting) {
  const at::Tensor rows = at::isfinite(points).all(1).nonzero().squeeze(1);
  if (rows.size(0) < points.size(0)) {
    accounting.warnings.emplace_back(what + ": dropped " +
                                     std::to_string(points.size(0) - rows.size(0)) +
                                     " points with NaN or infinite coordinates");
  }
  return rows;
}

void require_mask_size(const GraspInput& input, std::int64_t points) {
  if (!input.object_mask.defined() || input.object_mask.numel() == points) return;
  throw InputError("the object mask has " + std::to_string(input.object_mask.numel()) +
                   " values, the cloud " + std::to_string(points) + " points");
}

at::Tensor sampled_rows(const GraspInput& input, const at::Tensor& finite, const Draw& draw) {
  if (!input.sample_index) {
    return finite.index_select(0, at::tensor(draw(finite.size(0)), at::kLong));
  }
  const std::int64_t n = input.cloud.size(0);
  for (const std::int64_t i : *input.sample_index) {
    if (i < 0 || i >= n) {
      throw InputError("the sample index holds " + std::to_string(i) + ", the cloud has " +
                       std::to_string(n) + " points");
    }
  }
  const at::Tensor given = at::tensor(*input.sample_index, at::kLong);
  return given.masked_select(at::isfinite(input.cloud.index_select(0, given)).all(1));
}

InputPoints given_points(const GraspInput& input, Accounting& accounting) {
  const at::Tensor given = input.network_points->to(at::kCPU, at::kFloat);
  require_mask_size(input, given.size(0));
  const at::Tensor rows = finite_rows(given, "points", accounting);
  InputPoints seen;
  seen.points = given.index_select(0, rows);
  if (input.object_mask.defined()) seen.mask = input.object_mask.index_select(0, rows);
  seen.clouds = {seen.points.to(at::kDouble), seen.points};
  if (seen.points.size(0) == 0) {
    accounting.warnings.emplace_back(
        "points: the file holds no usable point, so there is no grasp");
  }
  return seen;
}

InputPoints camera_frame_points(const GraspInput& input, std::int64_t num_points,
                                Accounting& accounting, const StageObserver& observe) {
  if (input.network_points) {
    InputPoints seen = given_points(input, accounting);
    if (observe && seen.points.size(0) > 0) observe("points", seen.points);
    return seen;
  }
  require_mask_size(input, input.cloud.size(0));
  InputPoints seen;
  seen.points = at::empty({0, 3}, at::kFloat);
  const at::Tensor finite = finite_rows(input.cloud, "cloud", accounting);
  if (finite.size(0) == 0) {
    accounting.warnings.emplace_back(
        "cloud: no point is left after the masks, so there is no grasp");
    return seen;
  }
  const at::Tensor sample = sampled_rows(input, finite, [&](std::int64_t n) {
    NumpyRandom random(input.seed);
    return sample_with_repetition(random, n, num_points);
  });
  if (sample.size(0) == 0) {
    accounting.warnings.emplace_back("sampling: no point was taken, so there is no grasp");
    return seen;
  }
  seen.points = input.cloud.index_select(0, sample).to(at::kFloat);
  if (input.object_mask.defined()) seen.mask = input.object_mask.index_select(0, sample);
  seen.clouds = {input.cloud.index_select(0, finite), seen.points};
  if (observe) {
    observe("sample_idx", sample.to(at::kInt));
    observe("points", seen.points);
  }
  return seen;
}

}  // namespace grasppanda::models
