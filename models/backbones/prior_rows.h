// From the maps of a dense head to rows of numbers, one for each prior, and the best of them.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace grasppanda::models {

/// (1, C, H, W) -> (H W C / width, width) float32, contiguous, on the CPU; no copy where a
/// channels-last map lies there. The numbers of a prior stand together; priors are in the order of
/// cells, row by row, then of the anchors of a cell.
at::Tensor by_prior(const at::Tensor& map, std::int64_t width);

float sigmoid(float logit);

/// Places of the `most` best scores, best first, equal ones in order; all places in order where
/// there are no more than that.
std::vector<std::int64_t> best_places(const std::vector<float>& scores, std::int64_t most);

}  // namespace grasppanda::models
