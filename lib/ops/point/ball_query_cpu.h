// CPU kernel of ball_query, without LibTorch: one cloud, plain pointers.
#pragma once

#include <cstdint>

namespace grasppanda::ops {

/// One cloud of the operator (contract: ball_query.h), float32.
///
/// query (m rows), support (n rows)  x, y, z, contiguous
/// index  m rows of nsample, count m, written
void ball_query_cpu(const float* query, std::int64_t m, const float* support, std::int64_t n,
                    double radius, std::int64_t nsample, int threads, std::int64_t* index,
                    std::int64_t* count);

}  // namespace grasppanda::ops
