// The heads of single-stage detectors: two towers of four 3x3 convolutions over every level of a
// pyramid, shared by the levels.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <string>
#include <vector>

#include "models/backbones/layer_source.h"

namespace grasppanda::models {

/// Names of a tower's layer i: tower + i + convolution, tower + i + norm.
struct TowerNames {
  std::string classes, boxes;  // "bbox_head.cls_convs.", "bbox_head.reg_convs."
  std::string convolution;     // ".conv", or empty
  std::string norm;            // ".gn"; empty: the towers have biases instead of group norms
};

/// Four layers; with a norm each is conv, group norm (32 groups, eps 1e-5), ReLU.
class Tower {
 public:
  Tower() = default;
  Tower(LayerSource& source, const std::string& name, const TowerNames& names);
  at::Tensor operator()(at::Tensor x) const;

 private:
  struct Norm {
    at::Tensor weight, bias;
  };
  std::vector<Convolution> layers_;
  std::vector<Norm> norms_;
};

/// RetinaNet's: anchors x classes logits and anchors x 5 deltas in every cell.
struct RetinaHeadNames {
  TowerNames towers;
  std::string classes, boxes;
};
struct RetinaOutput {
  at::Tensor classes, boxes;  // (B, A K, H, W), (B, A 5, H, W)
};
class RetinaHead {
 public:
  RetinaHead() = default;
  RetinaHead(LayerSource& source, const RetinaHeadNames& names, std::int64_t anchors,
             std::int64_t classes);
  RetinaOutput operator()(const at::Tensor& level) const;

 private:
  Tower class_tower_, box_tower_;
  Convolution classes_, boxes_;
};

/// FCOS's: one point in every cell.
struct FcosHeadNames {
  TowerNames towers;
  std::string classes, boxes, angle, centerness;
  std::string scales;       // followed by the level and ".scale"
  std::string angle_scale;  // empty: the angle has no factor
};
struct FcosOutput {
  at::Tensor classes;     // (B, K, H, W) logits
  at::Tensor boxes;       // (B, 4, H, W): left, top, right, bottom, pixels, at least 0
  at::Tensor angle;       // (B, 1, H, W) radians
  at::Tensor centerness;  // (B, 1, H, W) logits
};
class FcosHead {
 public:
  FcosHead() = default;
  FcosHead(LayerSource& source, const FcosHeadNames& names, std::int64_t classes);
  FcosOutput operator()(const at::Tensor& level, std::size_t index, double stride) const;

 private:
  Tower class_tower_, box_tower_;
  Convolution classes_, boxes_, angle_, centerness_;
  std::array<at::Tensor, 5> scales_;
  at::Tensor angle_scale_;
};

}  // namespace grasppanda::models
