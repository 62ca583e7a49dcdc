// Float32 arithmetic of the operators, one rounding a step, the same on a CUDA device (explicitly
// rounded, never fused) and on the CPU (compiled without contraction). C++17: nvcc reads it too.
#pragma once

#include <cstdint>
#include <cstring>
#include <limits>

#ifdef __CUDACC__
#define GRASPPANDA_BOTH __host__ __device__ inline
#else
#define GRASPPANDA_BOTH inline
#endif

namespace grasppanda::ops::device {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

GRASPPANDA_BOTH float add(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fadd_rn(a, b);
#else
  return a + b;
#endif
}
GRASPPANDA_BOTH float subtract(float a, float b) {
#ifdef __CUDA_ARCH__
  return __fsub_rn(a, b);
#else
  return a - b;
#endif
}
GRASPPANDA_BOTH float square(float a) {
#ifdef __CUDA_ARCH__
  return __fmul_rn(a, a);
#else
  return a * a;
#endif
}

/// The sum of sampling, on every device.
GRASPPANDA_BOTH float sum_left_to_right(float x, float y, float z) {
  return add(add(x, y), z);
}
/// The sum of ball_query and knn on CUDA.
GRASPPANDA_BOTH float sum_middle_last(float x, float y, float z) {
  return add(add(x, z), y);
}

GRASPPANDA_BOTH bool is_nan(float a) {
  return a != a;
}
/// NaN yields to a number.
GRASPPANDA_BOTH float larger(float a, float b) {
  return a > b || is_nan(b) ? a : b;
}
GRASPPANDA_BOTH float lesser(float a, float b) {
  return a < b || is_nan(b) ? a : b;
}

GRASPPANDA_BOTH std::uint32_t bits_of(float a) {
  std::uint32_t bits;
  std::memcpy(&bits, &a, sizeof(bits));
  return bits;
}
GRASPPANDA_BOTH float float_of(std::uint32_t bits) {
  float a;
  std::memcpy(&a, &bits, sizeof(a));
  return a;
}
GRASPPANDA_BOTH bool is_finite(float a) {
  return (bits_of(a) & 0x7f800000u) != 0x7f800000u;
}

/// Orders values that are not negative like integers, every NaN behind +inf and equal.
GRASPPANDA_BOTH std::uint32_t order_bits(float a) {
  return is_nan(a) ? 0x7fffffffu : bits_of(a);
}

/// An order of two parts in one integer that a device can compare and take the maximum of at once.
using Key = unsigned long long;
GRASPPANDA_BOTH Key key_of(std::uint32_t high, std::uint32_t low) {
  return static_cast<Key>(high) << 32 | low;
}

}  // namespace grasppanda::ops::device
