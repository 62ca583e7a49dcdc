// What `--stages` writes: inner values under the names, shapes and orders of the goldens.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/grasp_postprocess.h"
#include "models/gsnet/decode.h"
#include "models/gsnet/network.h"
#include "models/model.h"

namespace grasppanda::models::gsnet {

struct Seeds {
  at::Tensor pick;      // (M,) int64 into the graspable points
  at::Tensor point;     // (M,) int64 into the sampled points
  at::Tensor xyz;       // (M, 3)
  at::Tensor features;  // (M, 512), before the residual
};

/// unet_NAME_first64: rows of inner layers in the order of their coordinates.
LayerObserver layer_stages(const StageObserver& observe);

/// coords_strideS_sorted.
void observe_coordinates(const SparseLevels& levels, const StageObserver& observe);

/// features (N, 512) of all points: feature_rows, feature_values, feature_sum, feature_sumsq,
/// objectness_score, graspness_score, graspable_index.
void observe_points(const at::Tensor& features, const Graspable& points, const at::Tensor& index,
                    const StageObserver& observe);

/// fps_index, seed_point_index, xyz_graspable, seed_features, res_features, view_score, top_view_*.
void observe_seeds(const Seeds& seeds, const Views& views, const ViewRotations& rotations,
                   const StageObserver& observe);

/// cylinder_index, cylinder_count, grouped_xyz, group_features, grasp_score_pred, grasp_width_pred.
void observe_groups(const CylinderGroups& groups, const at::Tensor& group_features,
                    const Proposals& proposals, const StageObserver& observe);

/// grasps_decoded; then collision_*, grasps_collision_free_* against both clouds, grasps_nms and
/// what both leave, whatever the run itself does.
void observe_grasps(const at::Tensor& rows, const SceneClouds& clouds,
                    const PostprocessSettings& settings, const StageObserver& observe);

}  // namespace grasppanda::models::gsnet
