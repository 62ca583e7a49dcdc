#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

#include "lib/ops/rotated/box_loss.h"

namespace grasppanda::ops {

/// sampled: 1 - sampled_iou, one number of samples for all pairs; it has no gradient.
/// convex: 1 - convex_iou, differentiable.
enum class RiouKind : std::uint8_t { sampled, convex };
/// "sampled", "convex"; throws ArgumentError for anything else.
RiouKind parse_riou_kind(std::string_view name);

/// One minus the overlap of box k with box k.
///
/// pred, target  (N, 5) floating type, taken as float32: (cx, cy, w, h, angle), pixels, radians
/// returns       (N,) float32
/// Throws ArgumentError: shapes, types, devices, sample settings. Source: oriented-det 0.4.1, where
/// `sampled` is the auxiliary loss of RoI heads and `convex` that of FCOS; docs/ops/rotated.md
at::Tensor riou_loss(const at::Tensor& pred, const at::Tensor& target,
                     RiouKind kind = RiouKind::sampled);

}  // namespace grasppanda::ops
