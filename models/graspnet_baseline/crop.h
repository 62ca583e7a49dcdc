// Cylinder groups around every seed, one for each depth, to features: the crop of
// GraspNet-baseline.
#pragma once

#include <ATen/core/Tensor.h>

#include <vector>

#include "lib/ops/point/neighbourhood.h"
#include "models/backbones/pointnet2.h"

namespace grasppanda::models::graspnet_baseline {

/// Neighbouring depths often select the same points. Equal groups have one row of features, so
/// that they tie to the bit in every score made from them, as the choice of the lower depth wants.
struct CropFeatures {
  at::Tensor distinct;     // (U, 256)
  at::Tensor row;          // (M * D,) int64, seed by seed, depth fastest: the row of each group
  at::Tensor all() const;  // (M * D, 256)
};

/// The points of the cloud in the D cylinders of every seed. rotation (M, 3, 3), column 0 the
/// approach; index (D, M, 64), count (D, M) int64.
ops::Neighbourhood crop_groups(const at::Tensor& seeds, const at::Tensor& cloud,
                               const at::Tensor& rotation);

/// The MLP over the points of a group in the seed's frame, transposed(rotation) * (p - seed), and
/// the maximum over the group. `mlp`: the layers of grouped_mlp, offsets only.
///
/// A point lies in the same place for all depths: it goes through the MLP once a seed, not once a
/// group. CPU tensors; others are brought there. Cost O(distinct pairs) rows, scratch for a few
/// seeds a thread. The blocks are fixed, so nothing depends on the number of threads.
CropFeatures crop_features(const GroupedMlp& mlp, const at::Tensor& cloud, const at::Tensor& seeds,
                           const at::Tensor& rotation, const ops::Neighbourhood& groups);

}  // namespace grasppanda::models::graspnet_baseline
