// Which rows of an input a grasp model looks at: what is finite, what was drawn or asked for.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "models/model.h"

namespace grasppanda::models {

/// (k,) int64: rows of points (n, 3) without NaN and infinity; a warning with `what` in front
/// counts the others.
at::Tensor finite_rows(const at::Tensor& points, const std::string& what, Accounting& accounting);

/// True when the sum is: one pass, and no list of rows for the ordinary input. A cloud of huge
/// finite numbers may be taken for one that is not; finite_rows tells.
bool surely_finite(const at::Tensor& points);

/// Throws InputError unless the object mask, if there is one, has a value for every point.
void require_mask_size(const GraspInput& input, std::int64_t points);

/// Draws rows out of 0 .. n - 1.
using Draw = std::function<std::vector<std::int64_t>(std::int64_t n)>;

/// Rows of input.cloud: those of `--sample-index`, without the ones that are not finite, or a draw
/// out of `finite` (undefined: out of all). Throws InputError for an index outside the cloud.
at::Tensor sampled_rows(const GraspInput& input, const at::Tensor& finite, const Draw& draw);

}  // namespace grasppanda::models
