#include "lib/ops/point/query_chunks.h"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/LegacyTypeDispatch.h>

#include <algorithm>

namespace grasppanda::ops {
namespace {

// Pairs in flight per thread. On the CPU two float buffers of this size and a mask share the
// second-level cache.
constexpr int64_t kPairsCpu = int64_t{1} << 17;
constexpr int64_t kPairsCuda = int64_t{1} << 25;

}  // namespace

at::Tensor QueryChunk::of(const at::Tensor& per_query) const {
  return per_query[batch].narrow(0, first, rows);
}

at::Tensor ChunkScratch::take(std::size_t slot, at::IntArrayRef sizes,
                              const at::TensorOptions& options) {
  const int64_t wanted = c10::multiply_integers(sizes);
  at::Tensor& buffer = buffers_.at(slot);
  if (!buffer.defined() || buffer.numel() < wanted) buffer = at::empty({wanted}, options);
  return buffer.narrow(0, 0, wanted).view(sizes);
}

void for_each_query_chunk(const at::Tensor& query, const at::Tensor& support,
                          const std::function<void(const QueryChunk&, ChunkScratch&)>& work) {
  const int64_t batches = query.size(0), queries = query.size(1);
  if (batches == 0 || queries == 0) return;
  const int64_t pairs = query.is_cpu() ? kPairsCpu : kPairsCuda;
  const int64_t rows =
      std::clamp<int64_t>(pairs / std::max<int64_t>(1, support.size(1)), 1, queries);
  const int64_t chunks_per_cloud = (queries + rows - 1) / rows;
  const auto run = [&](int64_t begin, int64_t end) {
    // Indices carry no gradient: stay below autograd, which also halves the cost of dispatch.
    at::AutoDispatchBelowADInplaceOrView below_autograd;
    ChunkScratch scratch;
    for (int64_t chunk = begin; chunk < end; ++chunk) {
      const int64_t first = chunk % chunks_per_cloud * rows;
      work({chunk / chunks_per_cloud, first, std::min(rows, queries - first)}, scratch);
    }
  };
  if (query.is_cpu())
    at::parallel_for(0, batches * chunks_per_cloud, 1, run);
  else
    run(0, batches * chunks_per_cloud);
}

}  // namespace grasppanda::ops
