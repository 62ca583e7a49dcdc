#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

#include "lib/ops/rotated/kfiou_loss.h"
#include "lib/ops/rotated/probiou_loss.h"

namespace grasppanda::ops {

enum class AuxiliaryLoss : std::uint8_t { riou, kfiou, probiou };
/// "riou", "kfiou", "probiou"; throws ArgumentError for anything else.
AuxiliaryLoss parse_auxiliary_loss(std::string_view name);

/// The options of oriented-det's configuration, under their names there.
struct AuxiliaryLossOptions {
  AuxiliaryLoss type = AuxiliaryLoss::riou;            // roi_box_reg_iou_loss_type
  KfiouFunction kfiou_function = KfiouFunction::none;  // roi_box_reg_kfiou_fun
  ProbiouMode probiou_mode = ProbiouMode::l1;          // roi_box_reg_probiou_mode
  double loss_weight = 1;                              // roi_box_reg_iou_weight
};

/// The mean of a loss over decoded boxes, the term that oriented-det adds to its box regression.
///
/// pred, target  (N, 5) floating type: (cx, cy, w, h, angle), pixels, radians
/// weight        (N,) or undefined; kfiou and probiou divide by max(sum, 1e-6) and max(sum, 1e-3)
/// returns       a scalar, differentiable (riou: constant), times loss_weight; 0 for N = 0
/// Throws ArgumentError: shapes, types, devices. Details in docs/ops/rotated.md
at::Tensor mean_auxiliary_box_reg_loss(const at::Tensor& pred, const at::Tensor& target,
                                       const AuxiliaryLossOptions& options = {},
                                       const at::Tensor& weight = {});

}  // namespace grasppanda::ops
