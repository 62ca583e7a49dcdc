#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

#include "lib/ops/rotated/box_loss.h"

namespace grasppanda::ops {

/// What is made of the overlap k: 1 - k, -log(k + 1e-6), exp(1 - k) - 1.
enum class KfiouFunction : std::uint8_t { none, ln, exp };
/// "none", "ln", "exp"; throws ArgumentError for anything else.
KfiouFunction parse_kfiou_function(std::string_view name);

/// Overlap of the Gaussians of two boxes by a Kalman update, plus a smooth L1 term of the centres.
///
/// pred, target  (N, 5) floating type: (cx, cy, w, h, angle), pixels, radians
/// returns       (N,), differentiable in both; at least 0
///
/// k is at most 1/3, the value of equal boxes. Throws ArgumentError: shapes, types, devices.
/// Source: KFIoU (Yang et al. 2022) as oriented-det 0.4.1 computes it; docs/ops/rotated.md
at::Tensor kfiou_loss(const at::Tensor& pred, const at::Tensor& target,
                      KfiouFunction function = KfiouFunction::none);

/// The overlap k by itself, (N,).
at::Tensor kfiou_overlap(const at::Tensor& pred, const at::Tensor& target);

}  // namespace grasppanda::ops
