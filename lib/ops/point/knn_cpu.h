// CPU kernel of knn, without LibTorch: one cloud, plain pointers.
#pragma once

#include <cstdint>

namespace grasppanda::ops {

/// k of the operator's largest kernel call; beyond it the reference runs.
inline constexpr std::int64_t kKnnLargestK = 64;

/// One cloud of the operator (contract: knn.h), float32, 1 <= k <= min(n, 64).
///
/// query (m rows), support (n rows)  x, y, z, contiguous
/// squared, index                    m rows of k, written: the squares that decide, ascending
void knn_cpu(const float* query, std::int64_t m, const float* support, std::int64_t n,
             std::int64_t k, int threads, float* squared, std::int64_t* index);

}  // namespace grasppanda::ops
