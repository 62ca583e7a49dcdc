#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

#include "lib/ops/rotated/box_loss.h"

namespace grasppanda::ops {

/// l1: Hellinger distance, in [0, 1]. l2: -log(1 - l1^2).
enum class ProbiouMode : std::uint8_t { l1, l2 };
/// "l1", "l2"; throws ArgumentError for anything else.
ProbiouMode parse_probiou_mode(std::string_view name);

/// Distance of the Gaussians of two boxes by the Bhattacharyya coefficient.
///
/// pred, target  (N, 5) floating type: (cx, cy, w, h, angle), pixels, radians
/// returns       (N,), differentiable in both
///
/// Equal boxes give about 0.045 (l1), not 0: every term carries an epsilon of 1e-3.
/// Throws ArgumentError: shapes, types, devices. Source: ProbIoU (Llerena et al. 2021) as
/// oriented-det 0.4.1 computes it; docs/ops/rotated.md
at::Tensor probiou_loss(const at::Tensor& pred, const at::Tensor& target,
                        ProbiouMode mode = ProbiouMode::l1);

}  // namespace grasppanda::ops
