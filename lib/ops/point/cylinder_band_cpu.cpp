#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/point/cylinder_band_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <cmath>

#include "lib/ops/point/bucket_lanes-inl.h"
#include "lib/ops/point/cylinder_band_cpu.h"

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::band {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using namespace lanes::HWY_NAMESPACE;

void Judge(const PointBuckets& cloud, std::size_t bucket, const float* query,
           const FloatBand& float_band, BucketVerdicts& verdicts) {
  const F d;
  const CylinderBand& band = float_band.band;
  const float* r = band.rotation;
  constexpr float kShrink = 1.0F - 0x1p-19F, kGrow = 1.0F + 0x1p-19F;  // 32 u
  const auto square = hn::Set(d, band.squared_radius), hmin = hn::Set(d, band.hmin);
  const auto margin_x = hn::Set(d, float_band.margin[0]),
             margin_y = hn::Set(d, float_band.margin[1]),
             margin_z = hn::Set(d, float_band.margin[2]);
  verdicts.outside = verdicts.inside = 0;
  for (std::size_t k = 0; k < kBucket; k += hn::Lanes(d)) {
    const std::size_t at = bucket * kBucket + k;
    const auto ax = hn::Sub(hn::LoadU(d, cloud.xyz[0].data() + at), hn::Set(d, query[0]));
    const auto ay = hn::Sub(hn::LoadU(d, cloud.xyz[1].data() + at), hn::Set(d, query[1]));
    const auto az = hn::Sub(hn::LoadU(d, cloud.xyz[2].data() + at), hn::Set(d, query[2]));
    const auto component = [&](int c) HWY_ATTR {
      return hn::Add(hn::Add(hn::Mul(ax, hn::Set(d, r[c])), hn::Mul(ay, hn::Set(d, r[3 + c]))),
                     hn::Mul(az, hn::Set(d, r[6 + c])));
    };
    const auto x = component(0), y = hn::Abs(component(1)), z = hn::Abs(component(2));
    const auto low = hn::Sub(x, margin_x), high = hn::Add(x, margin_x);
    hn::Store(low, d, verdicts.low + k);
    hn::Store(high, d, verdicts.high + k);
    const auto near_y = hn::Max(hn::Sub(y, margin_y), hn::Zero(d));
    const auto near_z = hn::Max(hn::Sub(z, margin_z), hn::Zero(d));
    const auto far_y = hn::Add(y, margin_y), far_z = hn::Add(z, margin_z);
    const auto nearest =
        hn::Mul(hn::Add(hn::Mul(near_y, near_y), hn::Mul(near_z, near_z)), hn::Set(d, kShrink));
    const auto farthest =
        hn::Mul(hn::Add(hn::Mul(far_y, far_y), hn::Mul(far_z, far_z)), hn::Set(d, kGrow));
    verdicts.outside |= Bits(hn::Or(hn::Ge(nearest, square), hn::Le(high, hmin))) << k;
    verdicts.inside |= Bits(hn::And(hn::Lt(farthest, square), hn::Gt(low, hmin))) << k;
  }
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::band
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace grasppanda::ops {
namespace band {
HWY_EXPORT(Judge);
}

FloatBand make_float_band(const CylinderBand& band, float squared_sphere) {
  FloatBand float_band{band, {}};
  // The reference's component and ours are each within e = gamma * sum |a||R| of the exact one, and
  // no coordinate of the offset exceeds the sphere's radius. A third e covers the rounding of
  // value -+ margin, the last factor that of the sphere's own test.
  const double reach = std::sqrt(static_cast<double>(squared_sphere));
  for (int c = 0; c < 3; ++c) {
    const float* r = band.rotation + c;
    const double sum = (std::fabs(r[0]) + std::fabs(r[3])) + double{std::fabs(r[6])};
    float_band.margin[c] = static_cast<float>(
        1.001 * 3.0 * (CylinderBand::kGamma * reach * sum + CylinderBand::kTiny));
  }
  return float_band;
}

void judge_bucket_cpu(const PointBuckets& cloud, std::size_t bucket, const float* query,
                      const FloatBand& band, BucketVerdicts& verdicts) {
  using namespace band;
  HWY_DYNAMIC_DISPATCH(Judge)(cloud, bucket, query, band, verdicts);
}

}  // namespace grasppanda::ops
#endif
