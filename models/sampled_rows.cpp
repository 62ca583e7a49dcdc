#include "models/sampled_rows.h"

#include <ATen/ATen.h>

#include <cmath>

#include "models/checkpoint_error.h"

namespace grasppanda::models {

at::Tensor finite_rows(const at::Tensor& points, const std::string& what, Accounting& accounting) {
  const at::Tensor rows = at::isfinite(points).all(1).nonzero().squeeze(1);
  if (rows.size(0) < points.size(0)) {
    accounting.warnings.emplace_back(what + ": dropped " +
                                     std::to_string(points.size(0) - rows.size(0)) +
                                     " points with NaN or infinite coordinates");
  }
  return rows;
}

bool surely_finite(const at::Tensor& points) {
  return std::isfinite(points.sum().item<double>());
}

void require_mask_size(const GraspInput& input, std::int64_t points) {
  if (!input.object_mask.defined() || input.object_mask.numel() == points) return;
  throw InputError("the object mask has " + std::to_string(input.object_mask.numel()) +
                   " values, the cloud " + std::to_string(points) + " points");
}

at::Tensor sampled_rows(const GraspInput& input, const at::Tensor& finite, const Draw& draw) {
  const std::int64_t n = input.cloud.size(0);
  if (!input.sample_index) {
    const at::Tensor drawn = at::tensor(draw(finite.defined() ? finite.size(0) : n), at::kLong);
    return finite.defined() ? finite.index_select(0, drawn) : drawn;
  }
  for (const std::int64_t i : *input.sample_index) {
    if (i < 0 || i >= n) {
      throw InputError("the sample index holds " + std::to_string(i) + ", the cloud has " +
                       std::to_string(n) + " points");
    }
  }
  const at::Tensor rows = at::tensor(*input.sample_index, at::kLong);
  return rows.masked_select(at::isfinite(input.cloud.index_select(0, rows)).all(1));
}

}  // namespace grasppanda::models
