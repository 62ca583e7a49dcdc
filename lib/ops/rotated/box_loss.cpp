#include "lib/ops/rotated/box_loss.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/argument_check.h"
#include "lib/ops/rotated/rotated_iou.h"

namespace grasppanda::ops {

void require_box_pairs(std::string_view op, const at::Tensor& pred, const at::Tensor& target) {
  require_rotated_boxes(op, "pred", pred);
  require_rotated_boxes(op, "target", target);
  require_like(op, "target", target, "pred", pred);
  if (pred.size(0) != target.size(0))
    refuse_argument(op, "target", "holds " + std::to_string(target.size(0)) + " boxes",
                    std::to_string(pred.size(0)) + " like pred");
}

Reduction parse_reduction(std::string_view op, std::string_view name) {
  if (name == "none") return Reduction::none;
  if (name == "mean") return Reduction::mean;
  if (name == "sum") return Reduction::sum;
  refuse_argument(op, "reduction", "is '" + std::string(name) + "'", "none, mean or sum");
}

at::Tensor reduced(const at::Tensor& loss, const at::Tensor& weight, double least_weight,
                   Reduction reduction) {
  if (weight.defined() && (weight.dim() != 1 || weight.size(0) != loss.size(0)))
    refuse_argument("loss", "weight", "has shape " + shape_text(weight),
                    "(" + std::to_string(loss.size(0)) + ",), one for each pair");
  if (reduction == Reduction::none) return loss;
  const at::Tensor weighted = weight.defined() ? loss.mul(weight.to(loss.options())) : loss;
  if (reduction == Reduction::sum) return weighted.sum();
  if (!weight.defined()) return loss.mean();
  return weighted.sum().div(weight.to(loss.options()).sum().clamp_min(least_weight));
}

}  // namespace grasppanda::ops
