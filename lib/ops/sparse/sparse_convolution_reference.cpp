#include <ATen/ATen.h>

#include "lib/ops/sparse/sparse_convolution.h"

namespace grasppanda::ops {

// Gather, product, scatter, one offset after the other.
void sparse_convolution_reference(at::Tensor out, const at::Tensor& feats,
                                  const SparseWeights& weights, const SharedKernelMap& map,
                                  SparseFusion fusion) {
  if (!fusion.add) out.zero_();
  for (std::int64_t j = 0; j < map->offsets(); ++j) {
    const std::int64_t begin = map->first[static_cast<std::size_t>(j)];
    const std::int64_t count = map->first[static_cast<std::size_t>(j) + 1] - begin;
    if (count == 0) continue;
    const at::Tensor from = map->in.narrow(0, begin, count).to(feats.device());
    const at::Tensor to = map->out.narrow(0, begin, count).to(feats.device());
    out.index_add_(0, to, at::mm(feats.index_select(0, from), weights.kernel[j]));
  }
  if (weights.bias.defined()) out.add_(weights.bias);
  if (fusion.relu) out.relu_();
}

}  // namespace grasppanda::ops
