// The network of GSNet: voxels in, the raw output of its heads per seed out.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>

#include "models/backbones/cylinder_crop.h"
#include "models/backbones/sparse_unet.h"
#include "models/weights.h"

namespace grasppanda::models::gsnet {

/// What the first head says about points.
struct Graspable {
  at::Tensor objectness;  // (2, N) logits: no, yes
  at::Tensor graspness;   // (N,)
};

/// Which way to approach each of M seeds.
struct Views {
  at::Tensor residual;  // (M, 512): added to the seeds' features from here on
  at::Tensor score;     // (M, 300)
  at::Tensor best;      // (M,) int64: the first of the highest
};

/// Per seed, in-plane angle and depth.
struct Proposals {
  at::Tensor score, width;  // (M, 12, 4)
};

/// Each stage is a call of its own, so that a test can give it the inputs it wants. Features have
/// one row a point.
class Network {
 public:
  Network(const Weights& weights, const at::Device& device,
          BatchNormForm form = BatchNormForm::folded);

  /// (V, 512) features of the voxels, in the order of the levels' caller. With a workspace they lie
  /// in it until its next use.
  at::Tensor voxel_features(const SparseLevels& levels, const LayerObserver& observe = {},
                            SparseWorkspace* workspace = nullptr) const;

  /// features (N, 512).
  Graspable graspable(const at::Tensor& features) const;

  /// (n,) int64, ascending: points with logit 1 above logit 0 and graspness above the threshold;
  /// NaN is not.
  static at::Tensor graspable_index(const Graspable& points, float threshold);

  /// xyz (n, 3) float32, n >= 1 -> (seeds,) int64 picks far from each other; more picks than points
  /// repeat.
  static at::Tensor sample(const at::Tensor& xyz, std::int64_t seeds);

  /// features (M, 512) of the seeds.
  Views views(const at::Tensor& features) const;

  /// xyz (M, 3), rotation (M, 3, 3) of the seeds' best views.
  static CylinderGroups groups(const at::Tensor& xyz, const at::Tensor& rotation);

  /// features (M, 512), the residual added -> (M, 256).
  at::Tensor crop(const at::Tensor& features, const CylinderGroups& groups) const;

  Proposals proposals(const at::Tensor& group_features) const;

  const at::Device& device() const { return device_; }

 private:
  at::Device device_;
  SparseUnet backbone_;
  PointwiseLayer graspable_, view_hidden_, view_score_, proposal_hidden_, proposal_out_;
  CropMlp crop_;
};

}  // namespace grasppanda::models::gsnet
