#include "models/gsnet/stages.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>
#include <vector>

#include "lib/ops/grasp/grasp_nms.h"
#include "models/numpy_random.h"

namespace grasppanda::models::gsnet {

namespace {

constexpr std::int64_t kLayerRows = 64, kFeatureRows = 512, kFinalRows = 50;
constexpr std::uint64_t kFeatureSeed = 1;

constexpr std::array<const char*, 6> kDumpedLayers = {"conv0p1s1", "block1", "block2",
                                                      "block3",    "block4", "block8"};

/// (n,) int64: rows of the table (n, k) in lexicographic order.
template <class T>
at::Tensor sorted_rows(const at::Tensor& table) {
  const at::Tensor values = table.contiguous();
  const T* data = values.const_data_ptr<T>();
  const std::int64_t columns = values.size(1);
  at::Tensor order = at::arange(values.size(0), at::kLong);
  std::int64_t* first = order.data_ptr<std::int64_t>();
  std::sort(first, first + values.size(0), [&](std::int64_t a, std::int64_t b) {
    const T* left = data + a * columns;
    const T* right = data + b * columns;
    return std::lexicographical_compare(left, left + columns, right, right + columns);
  });
  return order;
}

at::Tensor int32(const at::Tensor& index) {
  return index.to(at::kInt);
}

/// The points whose features are dumped: the same draw as in the goldens.
at::Tensor feature_rows(std::int64_t points) {
  NumpyRandom random(kFeatureSeed);
  std::vector<std::int64_t> rows =
      sample_without_replacement(random, points, std::min(points, kFeatureRows));
  std::sort(rows.begin(), rows.end());
  return at::tensor(rows, at::kLong);
}

/// Collision against one cloud; returns what it leaves.
at::Tensor observe_collision(const at::Tensor& rows, const at::Tensor& cloud,
                             const std::string& name, const ops::CollisionSettings& settings,
                             const StageObserver& observe) {
  const ops::Collisions found = ops::collision_detection(rows, cloud, settings);
  observe("collision_scene_points_" + name,
          found.scene_points.index_select(0, sorted_rows<double>(found.scene_points)));
  observe("collision_iou_" + name, found.ious.t());
  observe("collision_mask_" + name, found.collision_mask);
  const at::Tensor free =
      rows.index_select(0, found.collision_mask.logical_not().nonzero().squeeze(1));
  observe("grasps_collision_free_" + name, free);
  return free;
}

}  // namespace

LayerObserver layer_stages(const StageObserver& observe) {
  return [observe](const std::string& layer, const at::Tensor& rows, const at::Tensor& where) {
    if (std::ranges::find(kDumpedLayers, layer) == kDumpedLayers.end()) return;
    const at::Tensor order = sorted_rows<std::int32_t>(where.to(at::kCPU));
    const at::Tensor head = order.narrow(0, 0, std::min(kLayerRows, order.size(0)));
    observe("unet_" + layer + "_first64", rows.index_select(0, head.to(rows.device())));
  };
}

void observe_coordinates(const SparseLevels& levels, const StageObserver& observe) {
  for (std::size_t i = 0; i < levels.maps.coords.size(); ++i) {
    const at::Tensor coords = levels.maps.coords[i].to(at::kCPU);
    observe("coords_stride" + std::to_string(1 << i) + "_sorted",
            coords.index_select(0, sorted_rows<std::int32_t>(coords)));
  }
}

void observe_points(const at::Tensor& features, const Graspable& points, const at::Tensor& index,
                    const StageObserver& observe) {
  const at::Tensor rows = feature_rows(features.size(0));
  observe("feature_rows", int32(rows));
  observe("feature_values", features.index_select(0, rows.to(features.device())));
  const at::Tensor wide = features.to(at::kDouble);
  observe("feature_sum", wide.sum(0));
  observe("feature_sumsq", wide.square().sum(0));
  observe("objectness_score", points.objectness);
  observe("graspness_score", points.graspness);
  observe("graspable_index", int32(index));
}

void observe_seeds(const Seeds& seeds, const Views& views, const ViewRotations& rotations,
                   const StageObserver& observe) {
  observe("fps_index", int32(seeds.pick));
  observe("seed_point_index", int32(seeds.point));
  observe("xyz_graspable", seeds.xyz);
  observe("seed_features", seeds.features);
  observe("res_features", views.residual);
  observe("view_score", views.score);
  observe("top_view_index", int32(views.best));
  observe("top_view_xyz", rotations.views.index_select(0, views.best.to(at::kCPU)));
  observe("top_view_rot", rotations.upright(views.best));
}

void observe_groups(const CylinderGroups& groups, const at::Tensor& group_features,
                    const Proposals& proposals, const StageObserver& observe) {
  observe("cylinder_index", int32(groups.index));
  observe("cylinder_count", int32(groups.count));
  observe("grouped_xyz", groups.offsets);
  observe("group_features", group_features);
  observe("grasp_score_pred", proposals.score);
  observe("grasp_width_pred", proposals.width);
}

void observe_grasps(const at::Tensor& rows, const SceneClouds& clouds,
                    const PostprocessSettings& settings, const StageObserver& observe) {
  observe("grasps_decoded", rows);
  // Suppression has no place for a NaN score, and a run drops such rows first.
  const at::Tensor finite = rows.index_select(0, at::isfinite(rows).all(1).nonzero().squeeze(1));
  const auto suppressed = [&](const at::Tensor& some) {
    return some
        .index_select(0, ops::grasp_nms(some, settings.nms_translation, settings.nms_rotation_rad))
        .to(at::kDouble);
  };
  observe("grasps_nms", suppressed(finite));
  observe_collision(finite, clouds.sampled, "sampled", settings.collision_settings, observe);
  const at::Tensor kept = suppressed(
      observe_collision(finite, clouds.full, "full", settings.collision_settings, observe));
  observe("grasps_collision_free_nms", kept);
  observe("grasps_final_top50", kept.narrow(0, 0, std::min(kFinalRows, kept.size(0))));
}

}  // namespace grasppanda::models::gsnet
