// What happens to decoded grasps, whatever the model: drop the unusable, then collision check,
// suppression, sort, top k. Every step can be switched off by its key in `postprocess`.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "lib/config/config.h"
#include "lib/geometry/camera.h"
#include "lib/geometry/grasp.h"
#include "lib/ops/grasp/collision_detection.h"
#include "models/model.h"

namespace grasppanda::models {

/// The scene that grasps must not touch.
enum class CollisionCloud { full, full_float32, sampled };

struct ApproachCone {
  geometry::Vec3 direction;  // camera frame, any length but 0
  double half_angle_rad;
};

struct PostprocessSettings {
  std::optional<double> max_width;  // metres
  std::optional<ApproachCone> approach_cone;
  bool collision = true;
  CollisionCloud collision_cloud = CollisionCloud::full;
  ops::CollisionSettings collision_settings;  // a threshold of 0 switches the check off
  bool nms = true;
  double nms_translation = 0.03;  // metres
  double nms_rotation_rad = 0;
  bool sort = true;
  std::int64_t top_k = 0;  // 0: all
};
PostprocessSettings postprocess_settings(const config::Config& config);

/// Clouds of the grasps' frame, metres. Both may be the same.
struct SceneClouds {
  at::Tensor full;     // (n, 3) float64: the masked cloud
  at::Tensor sampled;  // (m, 3) float32: what the network saw
};

struct KeptGrasps {
  at::Tensor rows;   // (k, 17) float32
  at::Tensor index;  // (k,) int64: the row of the input that each one is
};

/// rows (n, 17) float32 on the CPU, in the models' order. Rows that hold NaN or infinity are
/// dropped with a warning. Widths and the cone come first, so that a dropped grasp suppresses
/// nothing; the rest in the order collision, suppression, sort, top k. Equal scores stay in the
/// order of the input. Adds the counts "after_*" of the steps that ran, and one warning when a step
/// leaves nothing of what it got.
KeptGrasps postprocess_grasps(const at::Tensor& rows, const SceneClouds& clouds,
                              const PostprocessSettings& settings, Accounting& accounting);

/// (k, 17) float32 rows as grasps.
geometry::GraspGroup grasp_group(const at::Tensor& rows);

}  // namespace grasppanda::models
