// What decides in the CUDA kernel of furthest_point_sample, for the device and for tests on the
// CPU.
#pragma once

#include "lib/ops/point/device_arithmetic.h"

namespace grasppanda::ops::device {

constexpr float kNearOrigin = 1e-3f;  // squared metres; equal to it is near
/// Below every running distance: what is excluded, and padding.
constexpr float kNever = -1.0f;

GRASPPANDA_BOTH std::uint32_t reversed_bits(std::uint32_t bits) {
#ifdef __CUDA_ARCH__
  return __brev(bits);
#else
  std::uint32_t reversed = 0;
  for (int i = 0; i < 32; ++i) reversed |= (bits >> i & 1u) << (31 - i);
  return reversed;
#endif
}

/// The tie rules as an order of the indices below 2^31: a smaller rank wins. Under `pointnet2_cuda`
/// index i belongs to thread i mod 2^bits; the bit-reversed thread fills the high bits of the rank
/// and i / 2^bits the low ones. `lowest_index` is that of a single thread.
struct PreferenceRank {
  int bits;

  static PreferenceRank of(std::int64_t n, bool pointnet2_ties) {
    int bits = 0;
    while (pointnet2_ties && bits < 9 && std::int64_t{2} << bits <= n) ++bits;
    return {bits};
  }
  GRASPPANDA_BOTH std::uint32_t low_mask() const { return 0xffffffffu >> bits; }
  GRASPPANDA_BOTH std::uint32_t of_index(std::uint32_t index) const {
    return reversed_bits(index & ((1u << bits) - 1)) | index >> bits;
  }
  GRASPPANDA_BOTH std::uint32_t index(std::uint32_t rank) const {
    return reversed_bits(rank & ~low_mask()) | (rank & low_mask()) << bits;
  }
};

/// The largest key is the next sample; 0 is smaller than the key of any point.
GRASPPANDA_BOTH Key sampling_key(float running, std::uint32_t rank) {
  return key_of(order_bits(running), ~rank);
}
GRASPPANDA_BOTH std::uint32_t rank_of(Key key) {
  return ~static_cast<std::uint32_t>(key);
}

GRASPPANDA_BOTH bool near_origin(const float* p) {
  return sum_left_to_right(square(p[0]), square(p[1]), square(p[2])) <= kNearOrigin;
}

/// The smaller of both, where NaN spreads.
GRASPPANDA_BOTH float updated(float running, float distance) {
  return running <= distance || is_nan(running) ? running : distance;
}

}  // namespace grasppanda::ops::device
