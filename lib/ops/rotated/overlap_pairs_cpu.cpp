// rectangle_overlap.h in vectors, one pair a lane: the same operations in the same order.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "lib/ops/rotated/overlap_pairs_cpu.cpp"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstddef>

#include "lib/ops/rotated/overlap_pairs_cpu.h"

#ifndef GRASPPANDA_OVERLAP_SHARED
#define GRASPPANDA_OVERLAP_SHARED
namespace grasppanda::ops::overlap {
/// Doubles of a BoxFrame and the places of its fields among them.
inline constexpr std::size_t kFields = sizeof(BoxFrame) / sizeof(double);
enum Field { kX, kY, kHalfW, kHalfH, kCosine, kSine, kArea, kRadius, kLowX, kLowY, kHighX, kHighY };
static_assert(kFields == 12 && offsetof(BoxFrame, high_y) == kHighY * sizeof(double));
}  // namespace grasppanda::ops::overlap
#endif

HWY_BEFORE_NAMESPACE();
namespace grasppanda::ops::overlap {
namespace HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<double, 8>;
using V = hn::Vec<D>;
using F = hn::CappedTag<float, 16>;

/// Boxes of the lanes, field by field.
struct Frames {
  V x, y, half_w, half_h, cosine, sine, area, radius;
  V low_x, low_y, high_x, high_y;
};

HWY_INLINE Frames Gather(const BoxFrame* frames, const std::uint32_t* index) {
  const D d;
  const hn::RebindToSigned<D> di;
  HWY_ALIGN std::int64_t places[8];
  for (std::size_t lane = 0; lane < hn::Lanes(d); ++lane)
    places[lane] = static_cast<std::int64_t>(index[lane]) * static_cast<std::int64_t>(kFields);
  const auto at = hn::Load(di, places);
  const double* base = &frames->x;
  const auto field = [&](std::size_t k) HWY_ATTR { return hn::GatherIndex(d, base + k, at); };
  return {field(kX),      field(kY),    field(kHalfW), field(kHalfH),
          field(kCosine), field(kSine), field(kArea),  field(kRadius),
          field(kLowX),   field(kLowY), field(kHighX), field(kHighY)};
}

HWY_INLINE V Clamp(V value, V limit) {
  return hn::Min(hn::Max(value, hn::Neg(limit)), limit);
}

HWY_INLINE V EdgeTerm(V x0, V y0, V x1, V y1, V W, V H) {
  const D d;
  const V xa = Clamp(x0, W), xb = Clamp(x1, W);
  V slope = hn::Div(hn::Sub(y1, y0), hn::Sub(x1, x0));
  slope = hn::IfThenElseZero(hn::Le(hn::Abs(slope), hn::Set(d, 1e300)), slope);
  const V ya = hn::Add(y0, hn::Mul(hn::Sub(xa, x0), slope));
  const V yb = hn::Add(y1, hn::Mul(hn::Sub(xb, x1), slope));
  const V ca = Clamp(ya, H), cb = Clamp(yb, H);
  const V rise = hn::Sub(yb, ya), sum = hn::Add(ca, cb);
  V shift = hn::Div(hn::Sub(hn::Add(ya, yb), sum), rise);
  shift = hn::IfThenElse(hn::Eq(rise, hn::Zero(d)), hn::Zero(d), shift);
  return hn::Mul(hn::Sub(xa, xb),
                 hn::Add(sum, hn::Mul(hn::Sub(cb, ca), Clamp(shift, hn::Set(d, 1)))));
}

HWY_INLINE hn::Mask<D> CutInSecond(const Frames& a, const Frames& b) {
  auto second = hn::Ge(a.sine, b.sine);
  const auto prefer = [&](V key_a, V key_b) HWY_ATTR {
    second = hn::Or(hn::Gt(key_a, key_b), hn::And(hn::Eq(key_a, key_b), second));
  };
  prefer(a.cosine, b.cosine);
  prefer(a.half_w, b.half_w);
  prefer(a.y, b.y);
  prefer(a.x, b.x);
  prefer(a.area, b.area);
  return second;
}

HWY_INLINE V SharedArea(const Frames& first, const Frames& second) {
  const D d;
  const auto cut = CutInSecond(first, second);
  const auto larger = [&](V f, V s) HWY_ATTR { return hn::IfThenElse(cut, f, s); };
  const auto smaller = [&](V f, V s) HWY_ATTR { return hn::IfThenElse(cut, s, f); };
  const V ac = larger(first.cosine, second.cosine), as = larger(first.sine, second.sine);
  const V bc = smaller(first.cosine, second.cosine), bs = smaller(first.sine, second.sine);
  const V aw = larger(first.half_w, second.half_w), ah = larger(first.half_h, second.half_h);
  const V W = smaller(first.half_w, second.half_w), H = smaller(first.half_h, second.half_h);
  const V dx = hn::Sub(larger(first.x, second.x), smaller(first.x, second.x));
  const V dy = hn::Sub(larger(first.y, second.y), smaller(first.y, second.y));
  const V x = hn::Add(hn::Mul(dx, bc), hn::Mul(dy, bs));
  const V y = hn::Sub(hn::Mul(dy, bc), hn::Mul(dx, bs));
  const V cosine = hn::Add(hn::Mul(ac, bc), hn::Mul(as, bs));
  const V sine = hn::Sub(hn::Mul(as, bc), hn::Mul(ac, bs));
  const V ux = hn::Mul(aw, cosine), uy = hn::Mul(aw, sine);
  const V vx = hn::Mul(ah, sine), vy = hn::Mul(ah, cosine);
  const V left = hn::Sub(x, ux), right = hn::Add(x, ux);
  const V lower = hn::Sub(y, uy), upper = hn::Add(y, uy);
  const V x0 = hn::Add(left, vx), y0 = hn::Sub(lower, vy);
  const V x1 = hn::Add(right, vx), y1 = hn::Sub(upper, vy);
  const V x2 = hn::Sub(right, vx), y2 = hn::Add(upper, vy);
  const V x3 = hn::Sub(left, vx), y3 = hn::Add(lower, vy);
  const V two_edges = hn::Add(EdgeTerm(x0, y0, x1, y1, W, H), EdgeTerm(x1, y1, x2, y2, W, H));
  const V other_two = hn::Add(EdgeTerm(x2, y2, x3, y3, W, H), EdgeTerm(x3, y3, x0, y0, W, H));
  const V area = hn::Mul(hn::Set(d, 0.5), hn::Add(two_edges, other_two));
  const V noise =
      hn::Mul(hn::Mul(hn::Set(d, rectangle::kNoise), hn::Add(first.radius, second.radius)),
              hn::Min(first.radius, second.radius));
  const auto apart =
      hn::Or(hn::Or(hn::Lt(first.high_x, second.low_x), hn::Lt(second.high_x, first.low_x)),
             hn::Or(hn::Lt(first.high_y, second.low_y), hn::Lt(second.high_y, first.low_y)));
  const V shared =
      hn::IfThenElseZero(hn::Gt(area, noise), hn::Min(area, hn::Min(first.area, second.area)));
  return hn::IfThenZeroElse(apart, shared);
}

HWY_INLINE V Ratio(const Frames& a, const Frames& b, OverlapRatio ratio) {
  const D d;
  const V shared = SharedArea(a, b);
  const V value = ratio == OverlapRatio::iof
                      ? hn::Min(hn::Div(shared, a.area), hn::Set(d, 1))
                      : hn::Div(shared, hn::Sub(hn::Add(a.area, b.area), shared));
  return hn::IfThenElseZero(hn::Gt(shared, hn::Zero(d)), value);
}

void Pairs(const BoxFrame* first, const std::uint32_t* i, const BoxFrame* second,
           const std::uint32_t* j, std::size_t count, OverlapRatio ratio, double* out) {
  const D d;
  const std::size_t lanes = hn::Lanes(d);
  std::size_t k = 0;
  for (; k + lanes <= count; k += lanes)
    hn::StoreU(Ratio(Gather(first, i + k), Gather(second, j + k), ratio), d, out + k);
  if (k == count) return;
  std::uint32_t last_i[8], last_j[8];
  HWY_ALIGN double last[8];
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    last_i[lane] = i[std::min(k + lane, count - 1)];
    last_j[lane] = j[std::min(k + lane, count - 1)];
  }
  hn::Store(Ratio(Gather(first, last_i), Gather(second, last_j), ratio), d, last);
  std::copy(last, last + (count - k), out + k);
}

std::size_t Meeting(const OuterBounds& others, std::size_t at, const OuterBounds& bounds,
                    std::size_t begin, std::size_t end, std::uint32_t* found) {
  const F d;
  const auto low_x = hn::Set(d, others.low_x[at]), high_x = hn::Set(d, others.high_x[at]);
  const auto low_y = hn::Set(d, others.low_y[at]), high_y = hn::Set(d, others.high_y[at]);
  std::size_t count = 0;
  for (std::size_t k = begin; k < end; k += hn::Lanes(d)) {
    const auto meet = hn::And(hn::And(hn::Le(hn::LoadU(d, bounds.low_x.data() + k), high_x),
                                      hn::Ge(hn::LoadU(d, bounds.high_x.data() + k), low_x)),
                              hn::And(hn::Le(hn::LoadU(d, bounds.low_y.data() + k), high_y),
                                      hn::Ge(hn::LoadU(d, bounds.high_y.data() + k), low_y)));
    if (hn::AllFalse(d, meet)) continue;
    std::uint8_t bytes[8] = {0};
    hn::StoreMaskBits(d, meet, bytes);
    std::uint32_t bits = std::uint32_t{bytes[0]} | (std::uint32_t{bytes[1]} << 8);
    for (; bits != 0; bits &= bits - 1) {
      const std::size_t place = k + static_cast<std::size_t>(__builtin_ctz(bits));
      if (place < end) found[count++] = static_cast<std::uint32_t>(place);
    }
  }
  return count;
}

}  // namespace HWY_NAMESPACE
}  // namespace grasppanda::ops::overlap
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace grasppanda::ops {
namespace overlap {
HWY_EXPORT(Pairs);
HWY_EXPORT(Meeting);
}  // namespace overlap

void overlap_pairs_cpu(const BoxFrame* first, const std::uint32_t* i, const BoxFrame* second,
                       const std::uint32_t* j, std::size_t count, OverlapRatio ratio, double* out) {
  using namespace overlap;
  HWY_DYNAMIC_DISPATCH(Pairs)(first, i, second, j, count, ratio, out);
}

std::size_t meeting_bounds_cpu(const OuterBounds& others, std::size_t at, const OuterBounds& bounds,
                               std::size_t begin, std::size_t end, std::uint32_t* found) {
  using namespace overlap;
  return HWY_DYNAMIC_DISPATCH(Meeting)(others, at, bounds, begin, end, found);
}

}  // namespace grasppanda::ops
#endif
