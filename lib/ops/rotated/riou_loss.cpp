#include "lib/ops/rotated/riou_loss.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/argument_check.h"
#include "lib/ops/rotated/box_loss.h"
#include "lib/ops/rotated/convex_iou.h"
#include "lib/ops/rotated/sampled_iou.h"

namespace grasppanda::ops {

RiouKind parse_riou_kind(std::string_view name) {
  if (name == "sampled") return RiouKind::sampled;
  if (name == "convex") return RiouKind::convex;
  refuse_argument("riou_loss", "kind", "is '" + std::string(name) + "'", "sampled or convex");
}

at::Tensor riou_loss(const at::Tensor& pred, const at::Tensor& target, RiouKind kind) {
  require_box_pairs("riou_loss", pred, target);
  const at::Tensor iou = kind == RiouKind::sampled
                             ? aligned_sampled_iou(pred, target)
                             : convex_iou(pred.to(at::kFloat), target.to(at::kFloat));
  return iou.neg().add(1);
}

}  // namespace grasppanda::ops
