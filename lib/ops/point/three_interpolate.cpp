#include "lib/ops/point/three_interpolate.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <string>
#include <vector>

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

bool records_gradient(const at::Tensor& features, const at::Tensor& weight) {
  return c10::GradMode::is_enabled() && (features.requires_grad() || weight.requires_grad());
}

// rows (M, C), index and weight (n, 3) -> (n, C). Rows of C features are gathered as a whole: the
// memory order in which that is fast.
at::Tensor interpolated(const at::Tensor& rows, const at::Tensor& index, const at::Tensor& weight) {
  const auto term = [&](int64_t neighbour) {
    return rows.index_select(0, index.select(1, neighbour))
        .mul(weight.select(1, neighbour).unsqueeze(1));
  };
  return term(0).add(term(1)).add(term(2));
}

}  // namespace

at::Tensor three_interpolate(const at::Tensor& features, const at::Tensor& index,
                             const at::Tensor& weight) {
  check_arguments(features, index, weight);
  const int64_t batches = features.size(0), channels = features.size(1), points = index.size(1);
  const at::Tensor rows = features.transpose(1, 2).contiguous();  // (B, M, C)
  if (batches > 0 && records_gradient(features, weight)) {
    std::vector<at::Tensor> clouds;
    for (int64_t batch = 0; batch < batches; ++batch)
      clouds.push_back(interpolated(rows[batch], index[batch], weight[batch]).t());
    return at::stack(clouds).contiguous();
  }
  at::Tensor value = at::empty({batches, channels, points}, features.options());
  // On the CPU a few points at a time: what is gathered stays in the cache until it is turned.
  const int64_t chunk =
      features.is_cpu() ? std::max<int64_t>(16, (int64_t{1} << 15) / std::max<int64_t>(1, channels))
                        : std::max<int64_t>(1, points);
  const int64_t chunks = (points + chunk - 1) / chunk;
  const auto run = [&](int64_t begin, int64_t end) {
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t batch = i / chunks, first = i % chunks * chunk;
      const int64_t count = std::min(chunk, points - first);
      value[batch]
          .narrow(1, first, count)
          .copy_(interpolated(rows[batch], index[batch].narrow(0, first, count),
                              weight[batch].narrow(0, first, count))
                     .t());
    }
  };
  if (features.is_cpu())
    at::parallel_for(0, batches * chunks, 1, run);
  else
    run(0, batches * chunks);
  return value;
}

}  // namespace grasppanda::ops
