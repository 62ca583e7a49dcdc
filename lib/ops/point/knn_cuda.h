// What decides in the CUDA kernels of knn, for the device and for tests on the CPU.
#pragma once

#include "lib/ops/point/device_arithmetic.h"

namespace grasppanda::ops::device {

/// Behind every candidate, NaN distances included.
constexpr std::uint32_t kUnfilledBits = 0xffffffffu;
constexpr Key kUnfilledKey = ~Key{0};

GRASPPANDA_BOTH float squared_distance_middle_last(const float* p, const float* q) {
  return sum_middle_last(square(subtract(p[0], q[0])), square(subtract(p[1], q[1])),
                         square(subtract(p[2], q[2])));
}

/// The k nearest of one query so far, offered in index order: the strictly smaller goes first, so
/// equal ones keep index order.
template <int k>
struct NearestInOrder {
  std::uint32_t bits[k], index[k];

  GRASPPANDA_BOTH void start() {
    for (int slot = 0; slot < k; ++slot) bits[slot] = kUnfilledBits, index[slot] = 0;
  }
  GRASPPANDA_BOTH void offer(std::uint32_t candidate, std::uint32_t at) {
    if (candidate >= bits[k - 1]) return;
    // From the last slot up: a slot takes its predecessor where that moves on, the candidate where
    // it belongs here, or stays.
    for (int slot = k - 1; slot >= 0; --slot) {
      const bool moved = slot > 0 && candidate < bits[slot > 0 ? slot - 1 : 0];
      if (candidate >= bits[slot]) break;
      bits[slot] = moved ? bits[slot > 0 ? slot - 1 : 0] : candidate;
      index[slot] = moved ? index[slot > 0 ? slot - 1 : 0] : at;
    }
  }
};

}  // namespace grasppanda::ops::device
