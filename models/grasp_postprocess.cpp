#include "models/grasp_postprocess.h"

#include <ATen/ATen.h>

#include <cmath>
#include <cstring>
#include <numbers>
#include <string>
#include <utility>

#include "lib/ops/errors.h"
#include "lib/ops/grasp/grasp_nms.h"
#include "models/checkpoint_error.h"

namespace grasppanda::models {

namespace {

double radians(double degrees) {
  return degrees / 180.0 * std::numbers::pi;
}

at::Tensor descending_by_score(const at::Tensor& rows) {
  return std::get<1>(at::sort(rows.select(1, 0), /*stable=*/true, /*dim=*/0, /*descending=*/true));
}

/// True where the approach (column 0 of the rotation) lies within the cone.
at::Tensor within_cone(const at::Tensor& rows, const ApproachCone& cone) {
  const auto& [x, y, z] = cone.direction;
  const double length = std::sqrt(x * x + y * y + z * z);
  const at::Tensor wide = rows.to(at::kDouble);
  const at::Tensor cosine =
      (wide.select(1, 4) * x + wide.select(1, 7) * y + wide.select(1, 10) * z) / length;
  return cosine >= std::cos(cone.half_angle_rad);
}

at::Tensor collision_cloud(const SceneClouds& clouds, CollisionCloud choice) {
  switch (choice) {
    case CollisionCloud::full:
      return clouds.full;
    case CollisionCloud::full_float32:
      return clouds.full.to(at::kFloat);
    case CollisionCloud::sampled:
      return clouds.sampled;
  }
  return clouds.full;
}

/// (n,) bool.
at::Tensor free_of_collision(const at::Tensor& rows, const SceneClouds& clouds,
                             const PostprocessSettings& settings) {
  if (rows.size(0) == 0) return at::empty({0}, at::kBool);  // spares the thinning of the cloud
  try {
    return ops::collision_detection(rows, collision_cloud(clouds, settings.collision_cloud),
                                    settings.collision_settings)
        .collision_mask.logical_not();
  } catch (const ops::ArgumentError& error) {
    // The settings were checked when they were read: what is left is a cloud of absurd extent.
    throw InputError(std::string(error.what()) +
                     "; drop far points with input.limit_box or input.depth.max, or set "
                     "postprocess.collision.enabled: false");
  }
}

/// Rows and where they came from, thinned step by step.
class Thinning {
 public:
  Thinning(const at::Tensor& rows, Accounting& accounting)
      : kept_{rows, at::arange(rows.size(0), at::kLong)}, accounting_(accounting) {}

  std::int64_t size() const { return kept_.index.size(0); }
  const at::Tensor& rows() const { return kept_.rows; }
  KeptGrasps take() { return std::move(kept_); }

  void select(const at::Tensor& index) {
    kept_.rows = kept_.rows.index_select(0, index);
    kept_.index = kept_.index.index_select(0, index);
  }
  void select(const at::Tensor& index, const std::string& count, const std::string& if_none_left) {
    const std::int64_t before = size();
    select(index);
    accounting_.counts.emplace_back(count, size());
    if (before > 0 && size() == 0) {
      accounting_.warnings.push_back("no grasp left: " + std::to_string(before) + " " +
                                     if_none_left);
    }
  }
  void keep(const at::Tensor& mask, const std::string& count, const std::string& if_none_left) {
    select(mask.nonzero().squeeze(1), count, if_none_left);
  }

 private:
  KeptGrasps kept_;
  Accounting& accounting_;
};

void drop_not_finite(Thinning& grasps, Accounting& accounting) {
  const at::Tensor finite = at::isfinite(grasps.rows()).all(1);
  const std::int64_t bad = grasps.size() - finite.sum().item<std::int64_t>();
  if (bad == 0) return;
  accounting.warnings.push_back("decode: dropped " + std::to_string(bad) + " of " +
                                std::to_string(grasps.size()) +
                                " grasps that hold NaN or infinity");
  grasps.select(finite.nonzero().squeeze(1));
}

}  // namespace

PostprocessSettings postprocess_settings(const config::Config& config) {
  PostprocessSettings settings;
  if (!config.is("postprocess.max_width", "none")) {
    settings.max_width = config.number("postprocess.max_width");
  }
  if (!config.is("postprocess.approach_cone_deg", "none")) {
    const std::vector<double> axis = config.numbers("postprocess.approach_direction");
    settings.approach_cone = ApproachCone{{axis.at(0), axis.at(1), axis.at(2)},
                                          radians(config.number("postprocess.approach_cone_deg"))};
  }
  settings.collision = config.boolean("postprocess.collision.enabled");
  const std::string cloud = config.text("postprocess.collision.cloud");
  settings.collision_cloud = cloud == "sampled"        ? CollisionCloud::sampled
                             : cloud == "full_float32" ? CollisionCloud::full_float32
                                                       : CollisionCloud::full;
  settings.collision_settings.collision_thresh = config.number("postprocess.collision.threshold");
  settings.collision_settings.voxel_size = config.number("postprocess.collision.voxel_size");
  settings.collision_settings.approach_dist =
      config.number("postprocess.collision.approach_distance");
  settings.nms = config.boolean("postprocess.nms.enabled");
  settings.nms_translation = config.number("postprocess.nms.translation");
  settings.nms_rotation_rad = radians(config.number("postprocess.nms.rotation_deg"));
  settings.sort = config.boolean("postprocess.sort");
  settings.top_k = config.integer("postprocess.top_k");
  return settings;
}

KeptGrasps postprocess_grasps(const at::Tensor& rows, const SceneClouds& clouds,
                              const PostprocessSettings& settings, Accounting& accounting) {
  Thinning grasps(rows, accounting);
  drop_not_finite(grasps, accounting);
  if (settings.max_width) {
    grasps.keep(grasps.rows().select(1, 1) <= *settings.max_width, "after_max_width",
                "were wider than postprocess.max_width");
  }
  if (settings.approach_cone) {
    grasps.keep(within_cone(grasps.rows(), *settings.approach_cone), "after_approach_cone",
                "approached from outside postprocess.approach_cone_deg");
  }
  if (settings.collision && settings.collision_settings.collision_thresh > 0) {
    grasps.keep(free_of_collision(grasps.rows(), clouds, settings), "after_collision",
                "touched the cloud (postprocess.collision)");
  }
  if (settings.nms) {
    // The operator widens to float64 for its decisions; the rows stay the float32 they were.
    grasps.select(
        ops::grasp_nms(grasps.rows(), settings.nms_translation, settings.nms_rotation_rad),
        "after_nms", "were suppressed (postprocess.nms)");
  }
  if (settings.sort && !settings.nms) grasps.select(descending_by_score(grasps.rows()));
  if (settings.top_k > 0 && settings.top_k < grasps.size()) {
    at::Tensor best = descending_by_score(grasps.rows()).narrow(0, 0, settings.top_k);
    if (!settings.sort) best = std::get<0>(at::sort(best));  // the best, in their own order
    grasps.select(best, "after_top_k", "");
  }
  return grasps.take();
}

geometry::GraspGroup grasp_group(const at::Tensor& rows) {
  const at::Tensor values = rows.to(at::kCPU, at::kFloat).contiguous();
  geometry::GraspGroup group(static_cast<std::size_t>(values.size(0)));
  static_assert(sizeof(geometry::Grasp) == geometry::kGraspColumns * sizeof(float));
  if (!group.empty()) {
    std::memcpy(static_cast<void*>(group.data()), values.const_data_ptr<float>(), values.nbytes());
  }
  return group;
}

}  // namespace grasppanda::models
