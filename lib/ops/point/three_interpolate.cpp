#include "lib/ops/point/three_interpolate.h"

#include <ATen/ATen.h>

#include <string>

#include "lib/ops/argument_check.h"

namespace grasppanda::ops {
namespace {

constexpr std::string_view kOp = "three_interpolate";

void check_arguments(const at::Tensor& features, const at::Tensor& index,
                     const at::Tensor& weight) {
  if (features.dim() != 3)
    refuse_argument(kOp, "features", "has shape " + shape_text(features), "(B, C, M)");
  if (!features.is_floating_point())
    refuse_argument(kOp, "features", "is " + std::string(c10::toString(features.scalar_type())),
                    "a floating type");
  if (index.dim() != 3 || index.size(2) != 3)
    refuse_argument(kOp, "index", "has shape " + shape_text(index), "(B, N, 3)");
  if (index.scalar_type() != at::kLong && index.scalar_type() != at::kInt)
    refuse_argument(kOp, "index", "is " + std::string(c10::toString(index.scalar_type())),
                    "int64 or int32");
  if (weight.sizes() != index.sizes())
    refuse_argument(kOp, "weight", "has shape " + shape_text(weight),
                    shape_text(index) + " like index");
  if (features.size(0) != index.size(0))
    refuse_argument(kOp, "index", "holds " + std::to_string(index.size(0)) + " clouds",
                    std::to_string(features.size(0)) + " like features");
  require_like(kOp, "weight", weight, "features", features);
  if (index.device() != features.device())
    refuse_argument(kOp, "index", "is on " + index.device().str(),
                    features.device().str() + " like features");
  if (index.numel() == 0) return;
  const int64_t low = index.min().item<int64_t>(), high = index.max().item<int64_t>();
  if (low < 0 || high >= features.size(2))
    refuse_argument(kOp, "index", "holds " + std::to_string(low < 0 ? low : high),
                    "0 .. M - 1 with M = " + std::to_string(features.size(2)));
}

}  // namespace

at::Tensor three_interpolate(const at::Tensor& features, const at::Tensor& index,
                             const at::Tensor& weight) {
  check_arguments(features, index, weight);
  const int64_t batches = features.size(0), channels = features.size(1), points = index.size(1);
  // Rows of C features are gathered as a whole: the memory order in which that is fast.
  const at::Tensor rows = features.transpose(1, 2).contiguous();  // (B, M, C)
  std::vector<at::Tensor> interpolated;
  for (int64_t batch = 0; batch < batches; ++batch) {
    at::Tensor sum;
    for (int64_t neighbour = 0; neighbour < 3; ++neighbour) {
      const at::Tensor term = rows[batch]
                                  .index_select(0, index[batch].select(1, neighbour))
                                  .mul(weight[batch].select(1, neighbour).unsqueeze(1));
      sum = neighbour == 0 ? term : sum.add(term);
    }
    interpolated.push_back(sum.t());
  }
  if (batches == 0) return at::zeros({0, channels, points}, features.options());
  return at::stack(interpolated).contiguous();
}

}  // namespace grasppanda::ops
