// CPU kernel of furthest_point_sample, without LibTorch: one cloud, plain pointers.
#pragma once

#include <cstdint>

namespace grasppanda::ops {

/// One cloud of the operator (contract: furthest_point_sample.h), float32.
///
/// points   n >= 1 rows of x, y, z, contiguous
/// samples  num_samples indices, written
/// threads  for the sorting of large clouds; the result does not depend on it
void furthest_point_sample_cpu(const float* points, std::int64_t n, std::int64_t num_samples,
                               bool skip_near_origin, bool pointnet2_ties, int threads,
                               std::int64_t* samples);

}  // namespace grasppanda::ops
