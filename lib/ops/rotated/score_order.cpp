#include "lib/ops/rotated/score_order.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {

std::vector<int64_t> score_order(std::string_view op, const at::Tensor& scores, int64_t count) {
  if (!scores.defined()) refuse_argument(op, "scores", "is missing", "a tensor (N,)");
  if (scores.dim() != 1 || scores.size(0) != count)
    refuse_argument(op, "scores", "has shape " + shape_text(scores),
                    "(" + std::to_string(count) + ",), one for each box");
  if (!scores.is_floating_point())
    refuse_argument(op, "scores", "is " + std::string(c10::toString(scores.scalar_type())),
                    "a floating type");
  const at::Tensor wide = scores.detach().to(at::kCPU, at::kDouble).contiguous();
  const double* values = wide.const_data_ptr<double>();
  // Score and index side by side: sorting indices alone would jump about in memory.
  std::vector<std::pair<double, int64_t>> ranked(static_cast<std::size_t>(count));
  for (int64_t i = 0; i < count; ++i) {
    if (std::isnan(values[i]))
      refuse_argument(op, "scores", "has a NaN at " + std::to_string(i),
                      "scores that can be ordered; drop such boxes first");
    ranked[static_cast<std::size_t>(i)] = {values[i], i};
  }
  std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  std::vector<int64_t> order(ranked.size());
  std::transform(ranked.begin(), ranked.end(), order.begin(),
                 [](const auto& entry) { return entry.second; });
  return order;
}

at::Tensor index_tensor(const std::vector<int64_t>& indices, c10::Device device) {
  at::Tensor tensor = at::empty({static_cast<int64_t>(indices.size())}, at::kLong);
  std::copy(indices.begin(), indices.end(), tensor.mutable_data_ptr<int64_t>());
  return tensor.to(device);
}

c10::Device suppression_device(const AnyKernelList& kernels, c10::Device boxes) {
  if (boxes.is_cpu()) return boxes;
  return kernels.settle(boxes).backend == Backend::compiled ? boxes : c10::Device(c10::kCPU);
}

}  // namespace grasppanda::ops
