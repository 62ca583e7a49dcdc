// Work on M queries against N support points, a bounded number of pairs at a time.
#pragma once

#include <ATen/core/Tensor.h>

#include <array>
#include <functional>

namespace grasppanda::ops {

/// Queries `first` .. `first + rows` of cloud `batch`.
struct QueryChunk {
  int64_t batch;
  int64_t first;
  int64_t rows;

  /// The part of a tensor (B, M, ...) that belongs to the chunk, (rows, ...).
  at::Tensor of(const at::Tensor& per_query) const;
};

/// Memory that the chunks of one thread use one after the other: fresh pages for every chunk would
/// cost as much as the arithmetic.
class ChunkScratch {
 public:
  /// Uninitialised, contiguous; holds until the same slot (0 .. 2) is taken again.
  at::Tensor take(std::size_t slot, at::IntArrayRef sizes, const at::TensorOptions& options);

 private:
  std::array<at::Tensor, 3> buffers_;
};

/// Calls `work` once for every chunk of query (B, M, 3) against support (B, N, 3). A chunk holds
/// all N support points and as many queries as keep its pair matrix inside the cache (CPU) or
/// within some hundred megabytes (CUDA). On the CPU the chunks run in parallel, so `work` must
/// write to its own rows only; tensor functions inside it run on one thread each.
void for_each_query_chunk(const at::Tensor& query, const at::Tensor& support,
                          const std::function<void(const QueryChunk&, ChunkScratch&)>& work);

}  // namespace grasppanda::ops
