#include "models/contact_graspnet/preprocess.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <optional>
#include <string>

#include "models/contact_graspnet/table_fit.h"
#include "models/input_points.h"
#include "models/sampled_rows.h"

namespace grasppanda::models::contact_graspnet {

namespace {

// Metres above the table. Nearer, the origin is hardly a camera's, and "towards the camera" no way
// to tell up from down.
constexpr double kNearestCamera = 0.05;

// One or two points have neighbourhoods for the network, but no surface that could be grasped.
bool lacks_surface(const at::Tensor& cloud, const std::string& what, Accounting& accounting) {
  if (cloud.size(0) == 0 || has_three_distinct_points(cloud)) return false;
  accounting.warnings.emplace_back(what +
                                   ": fewer than three distinct points, so there is no grasp");
  return true;
}

Prepared prepared_points(const GraspInput& input, Accounting& accounting) {
  const InputPoints given = given_points(input, accounting);
  Prepared prepared;
  prepared.points = at::empty({0, 3}, at::kFloat);
  if (lacks_surface(given.clouds.full, "points", accounting)) return prepared;
  prepared.points = given.points;
  prepared.mask = given.mask;
  prepared.clouds = given.clouds;
  return prepared;
}

std::optional<at::Tensor> network_from_camera(const at::Tensor& cloud,
                                              const PreprocessSettings& settings,
                                              NumpyRandom& random, Accounting& accounting,
                                              const StageObserver& observe) {
  if (settings.up == Up::camera) return at::eye(3, at::kDouble);
  if (settings.up == Up::given) return rotation_from_up(settings.up_direction);
  const std::optional<Table> table = fit_table(cloud, random);
  if (!table) return std::nullopt;  // lacks_surface told why
  if (std::abs(table->offset) < kNearestCamera) {
    char height[16];
    std::snprintf(height, sizeof height, "%.3f m", table->offset);
    accounting.warnings.emplace_back(
        "table fit: the origin lies only " + std::string(height) +
        " above the table, where no camera can be; if the cloud is in another frame, set model.up");
  }
  if (observe) {
    const geometry::Vec3& n = table->normal;
    observe("plane", at::tensor({n[0], n[1], n[2], table->offset}, at::kDouble));
  }
  return rotation_from_up(table->normal);
}

Prepared sampled_cloud(const GraspInput& input, const PreprocessSettings& settings,
                       NumpyRandom& random, Accounting& accounting, const StageObserver& observe) {
  require_mask_size(input, input.cloud.size(0));
  Prepared prepared;
  prepared.points = at::empty({0, 3}, at::kFloat);
  const at::Tensor finite = finite_rows(input.cloud, "cloud", accounting);
  const at::Tensor cloud = input.cloud.index_select(0, finite);
  if (cloud.size(0) == 0) {
    accounting.warnings.emplace_back(
        "cloud: no point is left after the masks, so there is no grasp");
    return prepared;
  }
  if (lacks_surface(cloud, "cloud", accounting)) return prepared;
  const std::optional<at::Tensor> turn =
      network_from_camera(cloud, settings, random, accounting, observe);
  if (!turn) return prepared;
  const at::Tensor sample = sampled_rows(input, finite, [&](std::int64_t n) {
    return sample_points(n, settings.num_points, input.seed);
  });
  const at::Tensor sampled = input.cloud.index_select(0, sample);
  if (sampled.size(0) == 0) {
    accounting.warnings.emplace_back("sampling: no point was taken, so there is no grasp");
    return prepared;
  }
  prepared.frame.rotation = *turn;
  prepared.points = to_network_frame(sampled, prepared.frame);
  if (input.object_mask.defined()) prepared.mask = input.object_mask.index_select(0, sample);
  prepared.clouds = {cloud, sampled.to(at::kFloat)};
  if (observe) {
    observe("sample_idx", sample.to(at::kInt));
    observe("table_from_camera_rotation", prepared.frame.rotation);
    observe("cloud_mean", prepared.frame.mean);
  }
  return prepared;
}

}  // namespace

Prepared prepare(const GraspInput& input, const PreprocessSettings& settings, NumpyRandom& random,
                 Accounting& accounting, const StageObserver& observe) {
  return input.network_points ? prepared_points(input, accounting)
                              : sampled_cloud(input, settings, random, accounting, observe);
}

std::vector<std::int64_t> sample_points(std::int64_t n, std::int64_t count, std::uint64_t seed) {
  NumpyRandom random(seed);
  return sample_without_replacement(random, n, std::min(n, count));
}

}  // namespace grasppanda::models::contact_graspnet
