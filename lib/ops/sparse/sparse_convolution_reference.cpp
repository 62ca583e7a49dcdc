#include <ATen/ATen.h>

#include "lib/ops/sparse/sparse_convolution.h"

namespace grasppanda::ops {

// Gather, product, scatter, one offset after the other.
void sparse_convolution_reference(at::Tensor out, const at::Tensor& feats,
                                  const SparseWeights& weights, const SharedKernelMap& map,
                                  SparseFusion fusion) {
  if (!fusion.add) out.zero_();
  for (std::int64_t j = 0; j < map->offsets(); ++j) {
    const OffsetPairs pairs = pairs_of(*map, j);
    if (pairs.in.size(0) == 0) continue;
    const at::Tensor from = pairs.in.to(feats.device()), to = pairs.out.to(feats.device());
    out.index_add_(0, to, at::mm(feats.index_select(0, from), weights.kernel[j]));
  }
  if (weights.bias.defined()) out.add_(weights.bias);
  if (fusion.relu) out.relu_();
}

}  // namespace grasppanda::ops
