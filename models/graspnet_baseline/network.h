// The network of GraspNet-baseline: points in, the raw output of all heads out.
#pragma once

#include <ATen/core/Tensor.h>

#include "models/backbones/pointnet2.h"
#include "models/graspnet_baseline/crop.h"
#include "models/graspnet_baseline/encoder.h"
#include "models/graspnet_baseline/layers.h"
#include "models/model.h"
#include "models/weights.h"

namespace grasppanda::models::graspnet_baseline {

/// What the first head says about each of the M seeds.
struct ViewScores {
  at::Tensor objectness;  // (M, 2) logits: not graspable, graspable
  at::Tensor view;        // (M, 300)
};

/// What the last heads say about every group, M * D rows, depth fastest; columns: angles.
struct GraspScores {
  at::Tensor score, angle, width, tolerance;  // (M * D, 12)
};

/// The view of each seed with the highest score, and the rotation of its crop.
struct ChosenViews {
  at::Tensor index;     // (M,) int64
  at::Tensor approach;  // (M, 3) unit vectors towards the seed
  at::Tensor rotation;  // (M, 3, 3), columns approach, closing, normal; in-plane angle 0
};

struct NetworkOutput {
  Seeds seeds;
  ViewScores views;
  ChosenViews chosen;
  GraspScores grasps;
};

class Network {
 public:
  Network(const Weights& weights, const at::Device& device);

  /// points (N, 3) float32, N >= 1, on the network's device: camera frame, metres.
  NetworkOutput forward(const at::Tensor& points, const StageObserver& observe = {}) const;

  const Encoder& encoder() const { return encoder_; }
  ViewScores view_scores(const at::Tensor& seed_features) const;
  ChosenViews choose_views(const at::Tensor& view_scores) const;
  CropFeatures crop(const at::Tensor& cloud, const at::Tensor& seeds, const at::Tensor& rotation,
                    const ops::Neighbourhood& groups) const;
  GraspScores grasp_scores(const CropFeatures& features) const;

 private:
  Encoder encoder_;
  Head view_head_;
  GroupedMlp crop_mlp_;
  Head operation_head_, tolerance_head_;
  at::Tensor template_views_;  // (300, 3), CPU
};

}  // namespace grasppanda::models::graspnet_baseline
