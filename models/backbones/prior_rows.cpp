#include "models/backbones/prior_rows.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace grasppanda::models {

at::Tensor by_prior(const at::Tensor& map, std::int64_t width) {
  const at::Tensor cells = map.select(0, 0).permute({1, 2, 0}).to(at::kCPU).contiguous();
  return cells.view({-1, width});
}

float sigmoid(float logit) {
  return 1.0F / (1.0F + std::exp(-logit));
}

std::vector<std::int64_t> best_places(const std::vector<float>& scores, std::int64_t most) {
  std::vector<std::int64_t> order(scores.size());
  std::iota(order.begin(), order.end(), 0);
  if (static_cast<std::int64_t>(scores.size()) <= most) return order;
  std::partial_sort(order.begin(), order.begin() + most, order.end(),
                    [&](std::int64_t a, std::int64_t b) {
                      const float x = scores[static_cast<std::size_t>(a)];
                      const float y = scores[static_cast<std::size_t>(b)];
                      return x != y ? x > y : a < b;
                    });
  order.resize(static_cast<std::size_t>(most));
  return order;
}

}  // namespace grasppanda::models
