// Clouds of the nasty kinds, the same on every machine: inputs of self-checks, tests and benches.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <initializer_list>

namespace grasppanda::ops {

/// Numbers from a seed (splitmix64).
class SeededNumbers {
 public:
  explicit SeededNumbers(uint64_t seed) : state_(seed) {}
  uint64_t next();
  int64_t below(int64_t limit) {
    return static_cast<int64_t>(next() % static_cast<uint64_t>(limit));
  }
  float uniform() { return static_cast<float>(next() >> 40) * 0x1p-24F; }  // [0, 1)

 private:
  uint64_t state_;
};

enum class CloudKind {
  uniform,   // in the cube [-0.5, 0.5)
  lattice,   // corners of a coarse lattice of binary fractions: ties and points exactly on surfaces
  repeated,  // five distinct points
  origin,    // within 0.05 of the origin: most squared norms below 1e-3
  table_top,   // 1 m x 1 m plane with boxes on it, 0.5 m away: the density of a depth image
  non_finite,  // uniform with a NaN, +inf and -inf in it
};

/// (batches, points, 3) float32 on the CPU.
at::Tensor seeded_cloud(CloudKind kind, int64_t batches, int64_t points, uint64_t seed);

/// One of the kinds above.
CloudKind drawn_kind(SeededNumbers& numbers);
/// One of some values.
template <class Value>
Value drawn(SeededNumbers& numbers, std::initializer_list<Value> values) {
  return values.begin()[numbers.below(static_cast<int64_t>(values.size()))];
}
/// The same cloud, every other time with strides that are not contiguous.
at::Tensor maybe_strided(const at::Tensor& cloud, SeededNumbers& numbers);

/// Rotations, (batches, count, 3, 3) float32 on the CPU: of unit quaternions, rounded.
at::Tensor seeded_rotations(int64_t batches, int64_t count, uint64_t seed);

}  // namespace grasppanda::ops
