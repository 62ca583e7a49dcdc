// What the losses on pairs of boxes share.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <string_view>

namespace grasppanda::ops {

/// pred and target (N, 5) of one floating type, (cx, cy, w, h, angle), on one device. Throws
/// ArgumentError in the name of `op`.
void require_box_pairs(std::string_view op, const at::Tensor& pred, const at::Tensor& target);

/// One value for every pair, without weights; their mean; their sum.
enum class Reduction : std::uint8_t { none, mean, sum };
/// "none", "mean", "sum"; throws ArgumentError in the name of `op`.
Reduction parse_reduction(std::string_view op, std::string_view name);

/// loss (N,), weight (N,) or undefined. The weighted mean is sum(loss * weight) / max(sum(weight),
/// least_weight); without weights it is the mean.
at::Tensor reduced(const at::Tensor& loss, const at::Tensor& weight, double least_weight,
                   Reduction reduction);

}  // namespace grasppanda::ops
