// What a seed learns from its neighbours inside the gripper's cylinder: their features and where
// they lie as the gripper sees them, through two layers, then the maximum.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/backbones/pointnet2.h"

namespace grasppanda::models {

/// Seeds in each seed's cylinder.
struct CylinderGroups {
  at::Tensor index;    // (M, S) int64 into the seeds; unused slots repeat the first
  at::Tensor count;    // (M,) int64: real ones, at most S
  at::Tensor offsets;  // (M, S, 3): (p - q) / radius, turned into the gripper's frame
};
/// xyz (M, 3) float32 metres, rotation (M, 3, 3): column 0 is the axis. The groups are made of the
/// seeds themselves.
CylinderGroups cylinder_groups(const at::Tensor& xyz, const at::Tensor& rotation, double radius,
                               double hmin, double hmax, std::int64_t samples);

/// The two layers; the first one's weight apart for features and offsets, so that the product with
/// the features is made once a seed, not once a neighbour.
struct CropMlp {
  at::Tensor offset_weight, feature_weight, first_bias;  // (3, h), (C, h), (h,)
  at::Tensor second_weight, second_bias;                 // (h, out), (out,)
};
/// Layers as norm_then_relu makes them; the first takes the 3 offsets, then the features.
CropMlp crop_mlp(const PointwiseLayer& first, const PointwiseLayer& second);

/// features (M, C) -> (M, out). The second layer's bias and ReLU are monotone, so they come after
/// the maximum, and repeated neighbours are left out: they cannot change it.
at::Tensor cylinder_crop(const CropMlp& mlp, const at::Tensor& features,
                         const CylinderGroups& groups);

}  // namespace grasppanda::models
