// The verdict of the band for a whole bucket at once, in float32: coarser than CylinderBand, right
// where it is certain.
#pragma once

#include <cstddef>
#include <cstdint>

#include "lib/ops/point/cylinder_band.h"
#include "lib/ops/point/point_buckets.h"

namespace grasppanda::ops {

/// The band around one cylinder for points within a sphere around its query.
struct FloatBand {
  CylinderBand band;
  float margin[3];  // how far the reference's component can be from ours, at most
};

/// Squared radii for which no step near the surface over- or underflows.
inline constexpr float kSmallestBandSquare = 1e-24f, kLargestBandSquare = 1e30f;

/// `squared_sphere`: of the sphere, finite.
FloatBand make_float_band(const CylinderBand& band, float squared_sphere);

/// Verdicts on radius and lower end, bit k for entry k of the bucket, and where the components
/// along the axis lie for certain, for the upper ends.
struct BucketVerdicts {
  std::uint32_t outside;  // for certain
  std::uint32_t inside;   // for certain
  alignas(64) float low[kBucket], high[kBucket];
};

/// Query, cloud and rotation are finite, coordinates at most kLargestPrunable; the squared radius
/// lies between the bounds above. What it says about points outside the sphere means nothing.
void judge_bucket_cpu(const PointBuckets& cloud, std::size_t bucket, const float* query,
                      const FloatBand& band, BucketVerdicts& verdicts);

}  // namespace grasppanda::ops
