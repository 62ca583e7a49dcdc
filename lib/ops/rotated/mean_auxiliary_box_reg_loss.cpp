#include "lib/ops/rotated/mean_auxiliary_box_reg_loss.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/argument_check.h"
#include "lib/ops/rotated/box_loss.h"
#include "lib/ops/rotated/riou_loss.h"

namespace grasppanda::ops {

AuxiliaryLoss parse_auxiliary_loss(std::string_view name) {
  if (name == "riou") return AuxiliaryLoss::riou;
  if (name == "kfiou") return AuxiliaryLoss::kfiou;
  if (name == "probiou") return AuxiliaryLoss::probiou;
  refuse_argument("mean_auxiliary_box_reg_loss", "roi_box_reg_iou_loss_type",
                  "is '" + std::string(name) + "'", "riou, kfiou or probiou");
}

at::Tensor mean_auxiliary_box_reg_loss(const at::Tensor& pred, const at::Tensor& target,
                                       const AuxiliaryLossOptions& options,
                                       const at::Tensor& weight) {
  require_box_pairs("mean_auxiliary_box_reg_loss", pred, target);
  if (pred.size(0) == 0) return pred.sum();
  at::Tensor loss;
  double least_weight = 1e-6;
  switch (options.type) {
    case AuxiliaryLoss::riou:
      loss = riou_loss(pred, target).to(pred.options());
      break;
    case AuxiliaryLoss::kfiou:
      loss = kfiou_loss(pred, target, options.kfiou_function);
      break;
    case AuxiliaryLoss::probiou:
      loss = probiou_loss(pred, target, options.probiou_mode);
      least_weight = 1e-3;
      break;
  }
  return reduced(loss, weight, least_weight, Reduction::mean).mul(options.loss_weight);
}

}  // namespace grasppanda::ops
