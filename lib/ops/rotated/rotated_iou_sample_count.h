#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <optional>

#include "lib/ops/rotated/sampling_settings.h"

namespace grasppanda::ops {

/// How many samples the sampled overlap takes in every box of a call: a perfect square.
///
/// boxes1, boxes2  (N, 5) and (M, 5) floating type; boxes2 may be undefined
/// purpose         overlaps or suppression: which environment variables count
/// num_samples     asked for: must be a perfect square; then neither boxes nor variables count
///
/// Contract: sizes are measured in float32; the finest grid that any box of both sets asks for
/// decides. A size that is no finite number asks for the least grid.
/// Throws ArgumentError naming the argument or the variable. Source: oriented-det 0.4.1, chapter 4
/// of its description in docs/ops/rotated.md
int64_t rotated_iou_sample_count(const at::Tensor& boxes1, const at::Tensor& boxes2,
                                 SamplePurpose purpose,
                                 std::optional<int64_t> num_samples = std::nullopt);

/// The count that a geometry gives, whatever the variables say.
int64_t geometry_sample_count(const at::Tensor& boxes1, const at::Tensor& boxes2,
                              const SampleGeometry& geometry);

}  // namespace grasppanda::ops
