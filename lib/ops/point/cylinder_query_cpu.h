// CPU kernel of cylinder_query, without LibTorch: one cloud, plain pointers, nested cylinders in
// one pass.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace grasppanda::ops {

/// How many upper ends one call can tell apart.
inline constexpr std::size_t kMostCylinderEnds = 1000;

/// One cloud of the operator (contract: cylinder_query.h), float32; several upper ends `hmax` share
/// the walk.
///
/// query (m rows), support (n rows)  x, y, z, contiguous; rotation m rows of 9, row-major
/// index      hmax.size() blocks of m rows of nsample, written
/// count      hmax.size() blocks of m, written
/// hand_back  m flags, written: 1 where a point too near the surface was met before a list was
///            complete; that query's answers are the reference's to give, with its whole support
void cylinder_query_cpu(const float* query, std::int64_t m, const float* support, std::int64_t n,
                        const float* rotation, double radius, double hmin,
                        std::span<const double> hmax, std::int64_t nsample, int threads,
                        std::int64_t* index, std::int64_t* count, std::uint8_t* hand_back);

}  // namespace grasppanda::ops
