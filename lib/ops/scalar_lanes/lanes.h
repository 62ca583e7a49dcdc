// Vectors of one lane under the names of Highway's functions. Floating-point steps are plain ones,
// rounded one by one.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

namespace grasppanda::ops::scalar_lanes {

// clang-format off
template <class T> struct Tag { using Value = T; };
template <class T, std::size_t most> using CappedTag = Tag<T>;
template <class T> using ScalableTag = Tag<T>;
template <class T> struct Lane { T value; };
template <class T> struct Flag { bool value; };
template <class D> using TFromD = typename D::Value;
template <class D> using Vec = Lane<typename D::Value>;
template <class D> using Mask = Flag<typename D::Value>;
template <std::size_t bytes> struct IntegerOf { using Signed = std::int32_t; using Unsigned = std::uint32_t; };
template <> struct IntegerOf<8> { using Signed = std::int64_t; using Unsigned = std::uint64_t; };
template <class D> using RebindToSigned = Tag<typename IntegerOf<sizeof(TFromD<D>)>::Signed>;
template <class D> using RebindToUnsigned = Tag<typename IntegerOf<sizeof(TFromD<D>)>::Unsigned>;
template <class T, class D> using Rebind = Tag<T>;

template <class D> constexpr std::size_t Lanes(D) { return 1; }
template <class D> constexpr std::size_t MaxLanes(D) { return 1; }
template <class T> Lane<T> Zero(Tag<T>) { return {0}; }
template <class T> Lane<T> Set(Tag<T>, std::type_identity_t<T> v) { return {v}; }
template <class T> Lane<T> Load(Tag<T>, const T* at) { return {*at}; }
template <class T> Lane<T> LoadU(Tag<T>, const T* at) { return {*at}; }
template <class T> void Store(Lane<T> v, Tag<T>, T* at) { *at = v.value; }
template <class T> void StoreU(Lane<T> v, Tag<T>, T* at) { *at = v.value; }
template <class T> void LoadInterleaved3(Tag<T>, const T* at, Lane<T>& x, Lane<T>& y, Lane<T>& z) {
  x = {at[0]}, y = {at[1]}, z = {at[2]};
}
template <class T, class I> Lane<T> GatherIndex(Tag<T>, const T* at, Lane<I> i) { return {at[i.value]}; }
template <class T> T GetLane(Lane<T> v) { return v.value; }

template <class T> Lane<T> Add(Lane<T> a, Lane<T> b) { return {a.value + b.value}; }
template <class T> Lane<T> Sub(Lane<T> a, Lane<T> b) { return {a.value - b.value}; }
template <class T> Lane<T> Mul(Lane<T> a, Lane<T> b) { return {a.value * b.value}; }
template <class T> Lane<T> Div(Lane<T> a, Lane<T> b) { return {a.value / b.value}; }
template <class T> Lane<T> MulAdd(Lane<T> a, Lane<T> b, Lane<T> c) { return {a.value * b.value + c.value}; }
template <class T> Lane<T> Neg(Lane<T> a) { return {-a.value}; }
template <class T> Lane<T> Abs(Lane<T> a) { return {std::abs(a.value)}; }
template <class T> Lane<T> Sqrt(Lane<T> a) { return {std::sqrt(a.value)}; }
template <class T> Lane<T> Min(Lane<T> a, Lane<T> b) { return {std::min(a.value, b.value)}; }
template <class T> Lane<T> Max(Lane<T> a, Lane<T> b) { return {std::max(a.value, b.value)}; }
template <class T> Lane<T> MinOfLanes(Tag<T>, Lane<T> v) { return v; }
template <class T> Lane<T> MaxOfLanes(Tag<T>, Lane<T> v) { return v; }
template <int bits, class T> Lane<T> ShiftLeft(Lane<T> v) { return {static_cast<T>(v.value << bits)}; }
template <int bits, class T> Lane<T> ShiftRight(Lane<T> v) { return {static_cast<T>(v.value >> bits)}; }
template <class T> Lane<T> And(Lane<T> a, Lane<T> b) { return {static_cast<T>(a.value & b.value)}; }
template <class T> Lane<T> Or(Lane<T> a, Lane<T> b) { return {static_cast<T>(a.value | b.value)}; }
template <class T, class U> Lane<T> ConvertTo(Tag<T>, Lane<U> v) { return {static_cast<T>(v.value)}; }
template <class T, class U> Lane<T> BitCast(Tag<T>, Lane<U> v) {
  static_assert(sizeof(T) == sizeof(U));
  Lane<T> bits;
  std::memcpy(&bits.value, &v.value, sizeof(T));
  return bits;
}

template <class T> Flag<T> Lt(Lane<T> a, Lane<T> b) { return {a.value < b.value}; }
template <class T> Flag<T> Le(Lane<T> a, Lane<T> b) { return {a.value <= b.value}; }
template <class T> Flag<T> Gt(Lane<T> a, Lane<T> b) { return {a.value > b.value}; }
template <class T> Flag<T> Ge(Lane<T> a, Lane<T> b) { return {a.value >= b.value}; }
template <class T> Flag<T> Eq(Lane<T> a, Lane<T> b) { return {a.value == b.value}; }
template <class T> Flag<T> And(Flag<T> a, Flag<T> b) { return {a.value && b.value}; }
template <class T> Flag<T> Or(Flag<T> a, Flag<T> b) { return {a.value || b.value}; }
template <class T> Flag<T> Not(Flag<T> a) { return {!a.value}; }
template <class T, class U> Flag<T> RebindMask(Tag<T>, Flag<U> a) { return {a.value}; }
template <class T> Lane<T> IfThenElse(Flag<T> f, Lane<T> a, Lane<T> b) { return f.value ? a : b; }
template <class T> Lane<T> IfThenElseZero(Flag<T> f, Lane<T> a) { return f.value ? a : Lane<T>{0}; }
template <class T> Lane<T> IfThenZeroElse(Flag<T> f, Lane<T> a) { return f.value ? Lane<T>{0} : a; }
template <class T> bool AllFalse(Tag<T>, Flag<T> f) { return !f.value; }
template <class T> bool AllTrue(Tag<T>, Flag<T> f) { return f.value; }
template <class T> std::size_t CountTrue(Tag<T>, Flag<T> f) { return f.value ? 1 : 0; }
template <class T> std::size_t StoreMaskBits(Tag<T>, Flag<T> f, std::uint8_t* bits) {
  bits[0] = f.value ? 1 : 0;
  return 1;
}
// clang-format on

}  // namespace grasppanda::ops::scalar_lanes
